select
    entity_id,
    label,
    {{ year('P571') }} as founded_year,
    {{ number('P1128') }} as employees,
    {{ as_of('P1128') }} as employees_as_of,
    {{ number('P2139', unit='Q4917') }} as revenue_usd,
    {{ as_of('P2139') }} as revenue_usd_as_of,
    {{ number('P2295', unit='Q4917') }} as net_profit_usd,
    {{ as_of('P2295') }} as net_profit_usd_as_of,
    {{ number('P2403', unit='Q4917') }} as total_assets_usd,
    {{ as_of('P2403') }} as total_assets_usd_as_of,
    {{ category('P452') }} as sector,
    {{ category('P17') }} as country,
    {{ category('P159') }} as headquarters_city,
    {{ categories('P361') }} as stock_indices,
    {{ categories('P414') }} as stock_exchanges,
    {{ category('P17/P30') }} as country_continent
from {{ topic_facts(classes=['Q891723'], hops=['P17']) }}
group by entity_id, label
