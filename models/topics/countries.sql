with attributes as (
    select
        entity_id,
        label,
        {{ text('P297') }} as iso_code,
        {{ number('P2046', unit='Q712226') }} as area_km2,
        {{ number('P8887', unit='Q712226') }} as water_area_km2,
        {{ number('P5141', unit='Q828224') }} as coastline_km,
        {{ number('P2044', unit='Q11573') }} as average_elevation_m,
        {{ number('P610/P2044', unit='Q11573') }} as highest_point_m,
        {{ count_of('P47') }} as neighbours,
        {%- for path, name, unit in [
            ('P1082', 'population', none),
            ('P1540', 'male_population', none),
            ('P1539', 'female_population', none),
            ('P36/P1082', 'capital_population', none),
            ('P2250', 'life_expectancy_years', 'Q577'),
            ('P4841', 'fertility_rate', none),
            ('P8763', 'birth_rate', none),
            ('P10091', 'death_rate', none),
            ('P6897', 'literacy_percent', 'Q11229'),
            ('P2131', 'gdp_usd', 'Q4917'),
            ('P4010', 'gdp_ppp_usd', 'Q4917'),
            ('P2299', 'gdp_ppp_per_capita_usd', 'Q4917'),
            ('P2219', 'gdp_growth_percent', 'Q11229'),
            ('P1279', 'inflation_percent', 'Q11229'),
            ('P1198', 'unemployment_percent', 'Q11229'),
            ('P8843', 'poverty_percent', 'Q11229'),
            ('P1125', 'gini_index', none),
            ('P10681', 'public_debt_percent', 'Q11229'),
            ('P3087', 'government_revenue_usd', 'Q4917'),
            ('P2402', 'government_expenditure_usd', 'Q4917'),
            ('P2134', 'reserves_usd', 'Q4917'),
            ('P2135', 'exports_usd', 'Q4917'),
            ('P2136', 'imports_usd', 'Q4917'),
        ] %}
        {{ number(path, unit=unit) }} as {{ name }},
        {{ as_of(path) }} as {{ name }}_as_of,
        {%- endfor %}
        {{ year('P571') }} as independence_year,
        {{ category('P30') }} as continent,
        {{ category('P361') }} as region,
        {{ category('P38') }} as currency,
        {{ category('P122') }} as government,
        {{ category('P1622') }} as driving_side,
        {{ category('P36') }} as capital,
        {{ category('P610') }} as highest_point,
        {{ categories('P37') }} as official_languages,
        {{ categories('P47') }} as borders,
        {%- for name in ['commonwealth-of-nations', 'european-union', 'nato', 'oecd', 'organisation-of-islamic-cooperation'] %}
        coalesce({{ boolean('P463', 'factbook:organisation/' ~ name) }}, false) as is_in_{{ name | replace('-', '_') }},
        {%- endfor %}
        {{ boolean('P31', 'Q123480') }} as is_landlocked
    from {{ topic_facts(classes=['Q6256'], hops=['P36', 'P610']) }}
    group by entity_id, label
)

select
    *,
    {{ round_significant('population / area_km2', 6) }} as population_density,
    population_as_of as population_density_as_of,
    {{ round_significant('100 * female_population / (male_population + female_population)', 6) }} as female_share_percent,
    female_population_as_of as female_share_percent_as_of
from attributes
