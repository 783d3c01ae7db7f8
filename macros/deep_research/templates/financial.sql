{#- Reasoning templates of the financial domain: companies, and economies of countries. -#}
{% macro templates_financial() -%}
    {{- return(fromyaml("""
- id: net_margin
  family: quantitative_modelling
  topics: [companies]
  same_time: true
  inputs:
    p: {property: P2295, attribute: net_profit_usd, phrase: net profit, pint: dimensionless, min: 1}
    s: {property: P2139, attribute: revenue_usd, phrase: revenue, pint: dimensionless, min: 1}
  formula: 100 * p / s
  unit: {words: percent, pint: dimensionless}
  ask: What was its net profit{as_of} as a share of its revenue, in percent?
- id: return_on_assets
  family: quantitative_modelling
  topics: [companies]
  same_time: true
  inputs:
    p: {property: P2295, attribute: net_profit_usd, phrase: net profit, pint: dimensionless, min: 1}
    a: {property: P2403, attribute: total_assets_usd, phrase: total assets, pint: dimensionless, min: 1}
  formula: 100 * p / a
  unit: {words: percent, pint: dimensionless}
  ask: What was its return on assets{as_of}, as net profit over total assets at the end of the year, in percent?
- id: asset_turnover
  family: quantitative_modelling
  topics: [companies]
  same_time: true
  inputs:
    s: {property: P2139, attribute: revenue_usd, phrase: revenue, pint: dimensionless, min: 1}
    a: {property: P2403, attribute: total_assets_usd, phrase: total assets, pint: dimensionless, min: 1}
  formula: 100 * s / a
  unit: {words: percent, pint: dimensionless}
  ask: What was its revenue{as_of} as a share of its total assets at the end of the year, in percent?
- id: revenue_per_employee
  family: quantitative_modelling
  topics: [companies]
  inputs:
    s: {property: P2139, attribute: revenue_usd, phrase: revenue, pint: dimensionless, min: 1}
    n: {property: P1128, attribute: employees, phrase: number of employees, pint: dimensionless, min: 100}
  same_time: true
  formula: s / n
  unit: {words: US dollars per employee, pint: dimensionless}
  ask: How much revenue did it have for each of its employees (figures{as_of}), in US dollars per employee?
- id: profit_per_employee
  family: quantitative_modelling
  topics: [companies]
  inputs:
    p: {property: P2295, attribute: net_profit_usd, phrase: net profit, pint: dimensionless, min: 1}
    n: {property: P1128, attribute: employees, phrase: number of employees, pint: dimensionless, min: 100}
  same_time: true
  formula: p / n
  unit: {words: US dollars per employee, pint: dimensionless}
  ask: How much net profit did it make for each of its employees (figures{as_of}), in US dollars per employee?
- id: revenue_after_growth
  family: quantitative_modelling
  topics: [companies]
  inputs: {s: {property: P2139, attribute: revenue_usd, phrase: revenue, pint: dimensionless, min: 1}}
  parameters: {rate: [3, 4, 6, 8], years: [4, 5, 7]}
  formula: s * power(1 + rate / 100, years)
  scale: 1000000000
  unit: {words: billion US dollars, pint: dimensionless}
  ask: If its revenue{as_of} grew by {rate}% a year for {years} years, how high would it then be, in billion US dollars?
- id: years_of_profit_for_the_assets
  family: temporal_reasoning
  topics: [companies]
  same_time: true
  inputs:
    p: {property: P2295, attribute: net_profit_usd, phrase: net profit, pint: dimensionless, min: 1}
    a: {property: P2403, attribute: total_assets_usd, phrase: total assets, pint: dimensionless, min: 1}
  formula: a / p
  unit: {words: years, pint: dimensionless}
  ask: At its net profit{as_of}, how many years would it take to earn its total assets at the end of that year? Give the answer in years.
- id: revenue_ratio
  family: comparative_ranking
  entities: 2
  topics: [companies]
  same_time: true
  inputs: {s: {property: P2139, attribute: revenue_usd, phrase: revenue, pint: dimensionless, min: 1}}
  formula: 100 * a_s / b_s
  unit: {words: percent, pint: dimensionless}
  ask: What was the revenue of the first{as_of}, in percent of that of the second?
- id: margin_ratio
  family: comparative_ranking
  entities: 2
  topics: [companies]
  same_time: true
  inputs:
    p: {property: P2295, attribute: net_profit_usd, phrase: net profit, pint: dimensionless, min: 1}
    s: {property: P2139, attribute: revenue_usd, phrase: revenue, pint: dimensionless, min: 1}
  formula: (a_p / a_s) / (b_p / b_s)
  unit: {words: times, pint: dimensionless}
  ask: Divide the net margin (net profit over revenue, figures{as_of}) of the first by that of the second. How many times as large is it?
- id: exports_over_imports
  family: quantitative_modelling
  topics: [countries]
  same_time: true
  inputs:
    x: {property: P2135, attribute: exports_usd, phrase: total exports, pint: dimensionless, min: 1}
    i: {property: P2136, attribute: imports_usd, phrase: total imports, pint: dimensionless, min: 1}
  formula: 100 * x / i
  unit: {words: percent, pint: dimensionless}
  ask: What were its total exports{as_of}, in percent of its total imports?
- id: reserves_in_months_of_imports
  family: temporal_reasoning
  topics: [countries]
  same_time: true
  inputs:
    v: {property: P2134, attribute: reserves_usd, phrase: total reserves, pint: dimensionless, min: 1}
    i: {property: P2136, attribute: imports_usd, phrase: total imports, pint: dimensionless, min: 1}
  formula: 12 * v / i
  unit: {words: months, pint: dimensionless}
  ask: For how many months of its total imports would its total reserves of gold and foreign exchange{as_of} pay? Give the answer in months.
""")) -}}
{%- endmacro %}
