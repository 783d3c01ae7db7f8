with attributes as (
    select
        entity_id,
        label,
        {{ text('P246') }} as symbol,
        {{ text('P231') }} as cas_number,
        {{ text('P8000') }} as electron_configuration,
        {{ number('P1086') }} as atomic_number,
        {{ number('P2067', unit='Q483261') }} as atomic_weight_da,
        {{ number('P2054', unit='Q13147228') }} as density_g_cm3,
        {{ number('P2101', unit='Q11579') }} as melting_point_k,
        {{ number('P2102', unit='Q11579') }} as boiling_point_k,
        {{ number('P2113', unit='Q11579') }} as sublimation_point_k,
        {{ number('P1108') }} as electronegativity,
        {{ number('P2260', unit='Q83327') }} as ionisation_energy_ev,
        {{ number('P2120', unit='Q192274') }} as covalent_radius_pm,
        {{ number('P2066', unit='Q752197') }} as fusion_enthalpy_kj_mol,
        {{ number('P2116', unit='Q752197') }} as vaporisation_enthalpy_kj_mol,
        {{ number('P3078', unit='Q752197') }} as atomisation_enthalpy_kj_mol,
        {{ number('P2056', unit='Q3085309') }} as specific_heat_capacity_j_kg_k,
        {{ number('P2068', unit='Q1463969') }} as thermal_conductivity_w_m_k,
        {{ number('P6274', unit='Q21091747') }} as crust_abundance_mg_kg,
        {{ year('P575') }} as discovery_year,
        {{ count_of('P527') }} as natural_isotopes,
        {{ count_of('P1121') }} as oxidation_states,
        {{ category('P1552') }} as block,
        {{ category('P279') }} as series,
        {{ category('P361') }} as periodic_group,
        {{ category('P556') }} as crystal_system,
        {{ categories('P61') }} as discoverers,
        {{ category('P189') }} as discovery_place,
        {{ category('P189/P17') }} as discovery_country,
        {{ category('P189/P30') }} as discovery_continent
    from {{ topic_facts(classes=['Q11344'], hops=['P189']) }}
    group by entity_id, label
)

select
    entity_id,
    label,
    symbol,
    cas_number,
    electron_configuration,
    atomic_number,
    atomic_weight_da,
    density_g_cm3,
    melting_point_k,
    boiling_point_k,
    electronegativity,
    ionisation_energy_ev,
    covalent_radius_pm,
    fusion_enthalpy_kj_mol,
    vaporisation_enthalpy_kj_mol,
    atomisation_enthalpy_kj_mol,
    specific_heat_capacity_j_kg_k,
    thermal_conductivity_w_m_k,
    crust_abundance_mg_kg,
    discovery_year,
    natural_isotopes,
    oxidation_states,
    block,
    series,
    periodic_group,
    -- The noble gases end the periods.
    'period ' || case
        when atomic_number <= 2 then '1'
        when atomic_number <= 10 then '2'
        when atomic_number <= 18 then '3'
        when atomic_number <= 36 then '4'
        when atomic_number <= 54 then '5'
        when atomic_number <= 86 then '6'
        when atomic_number <= 118 then '7'
    end as period,
    crystal_system,
    -- Carbon and the like turn into gas without melting.
    {{ state_of_matter('coalesce(melting_point_k, sublimation_point_k)', 'boiling_point_k', 298.15) }} as state_at_25_c,
    discoverers,
    discovery_place,
    discovery_country,
    discovery_continent,
    natural_isotopes is not null as has_natural_isotopes
from attributes
