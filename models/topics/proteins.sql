select
    entity_id,
    label,
    {{ number('uniprot:length') }} as length_residues,
    {{ number('P2067', unit='Q483261') }} as mass_da,
    {{ number('uniprot:disulfide-bonds') }} as disulfide_bonds,
    {{ number('uniprot:subunits') }} as subunits,
    {{ text('P352') }} as uniprot_accession,
    {{ text('P591') }} as ec_number,
    case left({{ text('P591') }}, 2)
        when '1.' then 'oxidoreductase'
        when '2.' then 'transferase'
        when '3.' then 'hydrolase'
        when '4.' then 'lyase'
        when '5.' then 'isomerase'
        when '6.' then 'ligase'
        when '7.' then 'translocase'
    end as enzyme_class,
    {{ category('P31') }} as function,
    {{ category('P703') }} as organism,
    {{ category('P681') }} as cell_component,
    {{ text('P702') }} as gene,
    {{ category('P702/P1057') }} as chromosome,
    {{ categories('uniprot:cofactor') }} as metal_cofactors,
    {{ categories('P2293') }} as diseases,
    {{ categories('P129') }} as drugs
from {{ topic_facts(classes=['Q8054'], hops=['P702']) }}
group by entity_id, label
