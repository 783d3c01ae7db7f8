with moons as (
    select
        entity_id,
        label,
        {{ number('P2120', unit='Q828224') }} as radius_km,
        {{ number('P2233', unit='Q828224') }} as orbit_radius_km,
        {{ number('P2146', unit='Q573') }} as orbital_period_days,
        {{ year('P575') }} as discovery_year,
        {{ category('P61') }} as discoverer,
        {{ category('P397') }} as parent_body,
        {{ category('P397/P31') }} as parent_kind
    from {{ topic_facts(classes=['Q2537'], hops=['P397']) }}
    group by entity_id, label
)

-- Hundreds of small ones have been found since; up to then the list is complete. Nobody discovered our own.
select *
from moons
where coalesce(discovery_year, 0) < 1990
