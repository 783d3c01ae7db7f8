"""Two small topics for the dbt tests: countries, and cities that reach their country's values by a hop."""

COUNTRIES_SQL = """
select
    entity_id,
    label,
    {{ number('P2046') }} as area_km2,
    {{ number('P2046', unit='Q232291') }} as area_sq_mi,
    {{ number('P1082') }} as population,
    {{ as_of('P1082') }} as population_as_of,
    {{ category('P30') }} as continent,
    {{ categories('P37') }} as official_languages,
    {{ year('P571') }} as inception_year,
    {{ date('P571') }} as founded_on,
    {{ count_of('P47') }} as neighbours,
    {{ text('P1813') }} as short_name,
    {{ boolean('P30', 'Q46') }} as is_european,
    {{ number('P2131', unit='Q4917') }} as gdp_usd,
    {{ latitude() }} as latitude,
    {{ longitude() }} as longitude,
    {{ has_value('P1082') }} as has_population,
    {{ has_value('P2046', unit='Q712226') }} as has_area_in_km2,
    {{ has_any_of('P37', ['Q1860', 'Q188']) }} as speaks_germanic,
    {{ has_amount('P1082', least=1000, most=67000000) }} as has_counted_population
from {{ topic_facts(classes=['Q6256']) }}
group by entity_id, label
"""

COUNTRIES_YML = """
models:
  - name: countries
    description: One row per country.
    config:
      contract: {enforced: true}
      meta:
        source:
          classes: [Q6256]
          properties: [P30, P37, P47, P571, P625, P1082, P1813, P2046, P2131]
        topic: {singular: country, plural: countries}
    columns:
      - {name: entity_id, data_type: varchar, description: Identifier.}
      - {name: label, data_type: varchar, description: Name.}
      - name: area_km2
        data_type: double
        description: Area.
        config:
          meta: {kind: number, path: P2046, phrase: area, unit: square kilometres, adjective: large, additive: true}
      - {name: area_sq_mi, data_type: double, description: Area in square miles.}
      - name: population
        data_type: double
        description: Population.
        config:
          meta: {kind: number, path: P1082, phrase: population, unit: people, integer: true, volatile: true}
      - {name: population_as_of, data_type: varchar, description: Date of it., config: {meta: {kind: as_of}}}
      - name: continent
        data_type: varchar
        description: Continent.
        config: {meta: {kind: category, path: P30, phrase: continent, scope: 'in {value}', member: 'are in {value}'}}
      - name: official_languages
        data_type: varchar[]
        description: Official languages.
        config:
          meta:
            kind: category
            path: P37
            phrase: official language
            member: 'have {value} as an official language'
            shared: an official language
      - name: inception_year
        data_type: double
        description: Year of foundation.
        config: {meta: {kind: number, path: P571, phrase: year of foundation, scope: 'founded in the {century}'}}
      - name: founded_on
        data_type: date
        description: Day of foundation.
        config: {meta: {kind: date, path: P571, phrase: date of foundation}}
      - name: neighbours
        data_type: double
        description: Number of neighbours.
        config: {meta: {kind: number, path: P47, phrase: number of neighbouring countries, integer: true}}
      - {name: short_name, data_type: varchar, description: Short name., config: {meta: {kind: text, path: P1813}}}
      - name: is_european
        data_type: boolean
        description: Whether it is in Europe.
        config:
          meta:
            kind: boolean
            path: P30
            phrase: location in Europe
            scope: that are in Europe
            member: are in Europe
      - name: gdp_usd
        data_type: double
        description: Nominal GDP.
        config:
          meta:
            kind: number
            path: P2131
            phrase: nominal GDP
            unit: US dollars
            volatile: true
            tolerance: 0.05
      - {name: latitude, data_type: double, description: Degrees north.}
      - {name: longitude, data_type: double, description: Degrees east.}
      - {name: has_population, data_type: boolean, description: Of the macros that `having` uses.}
      - {name: has_area_in_km2, data_type: boolean, description: Of the macros that `having` uses.}
      - {name: speaks_germanic, data_type: boolean, description: Of the macros that `having` uses.}
      - {name: has_counted_population, data_type: boolean, description: Of the macros that `having` uses.}
"""

CITIES_SQL = """
select
    entity_id,
    label,
    {{ category('P17') }} as country,
    {{ category('P17/P30') }} as country_continent,
    {{ number('P17/P2046') }} as country_area_km2
from {{ topic_facts(classes=['Q515'], hops=['P17']) }}
group by entity_id, label
"""

CITIES_YML = """
models:
  - name: cities
    description: One row per city.
    config:
      contract: {enforced: true}
      meta:
        source: {classes: [Q515], properties: [P17], hops: {P17: [P30, P2046]}}
        topic: {singular: city, plural: cities}
    columns:
      - {name: entity_id, data_type: varchar, description: Identifier.}
      - {name: label, data_type: varchar, description: Name.}
      - name: country
        data_type: varchar
        description: Country.
        config: {meta: {kind: category, path: P17, phrase: country, scope: 'in {value}'}}
      - name: country_continent
        data_type: varchar
        description: Continent of its country.
        config: {meta: {kind: category, path: P17/P30, phrase: continent, via: country}}
      - name: country_area_km2
        data_type: double
        description: Area of its country.
        config:
          meta:
            kind: number
            path: P17/P2046
            phrase: area of its country
            unit: square kilometres
            via: country
"""

COUNTRIES = (COUNTRIES_SQL, COUNTRIES_YML)
CITIES = (CITIES_SQL, CITIES_YML)
