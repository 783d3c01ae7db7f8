{#- Reasoning templates of the security domain. Scores are those of CVSS version 3; versions are never mixed. -#}
{% macro templates_security() -%}
    {{- return(fromyaml("""
- id: days_until_listed
  family: temporal_reasoning
  topics: [vulnerabilities]
  inputs:
    published: {property: P577, attribute: published_on, phrase: date of publication, pint: day}
    added: {property: 'cisa:kev-date-added', attribute: kev_added_on, phrase: date of listing, pint: day}
  least_answer: 1
  formula: added - published
  exact: true
  unit: {words: days, pint: day}
  ask: How many days after its publication by the National Vulnerability Database did CISA add it to the catalogue of Known Exploited Vulnerabilities? Give the answer in days.
- id: unpatched_when_listed
  family: quantitative_modelling
  topics: [vulnerabilities]
  inputs:
    published: {property: P577, attribute: published_on, phrase: date of publication, pint: day}
    added: {property: 'cisa:kev-date-added', attribute: kev_added_on, phrase: date of listing, pint: day}
  parameters: {half: [30, 45, 60, 90]}
  parameter_units: {half: day}
  least_answer: 1
  most_answer: 90
  formula: 100 * power(0.5, (added - published) / half)
  unit: {words: percent, pint: dimensionless}
  ask: Suppose that the share of systems without a patch halved every {half} days from its publication by the National Vulnerability Database on. What share was left when CISA added it to the catalogue of Known Exploited Vulnerabilities, in percent?
- id: impact_over_exploitability
  family: quantitative_modelling
  topics: [vulnerabilities]
  inputs:
    impact: {property: 'first:cvss-v3-impact-score', attribute: impact_score, phrase: impact score, pint: dimensionless, min: 0.5}
    ease: {property: 'first:cvss-v3-exploitability-score', attribute: exploitability_score, phrase: exploitability score, pint: dimensionless, min: 0.5}
  formula: 100 * impact / ease
  unit: {words: percent, pint: dimensionless}
  ask: What is the impact score of its CVSS version 3 rating, in percent of the exploitability score?
- id: score_gap_to_maximum
  family: quantitative_modelling
  topics: [vulnerabilities]
  inputs:
    score: {property: 'first:cvss-v3-base-score', attribute: cvss_score, phrase: base score, pint: dimensionless, min: 1, max: 9}
    impact: {property: 'first:cvss-v3-impact-score', attribute: impact_score, phrase: impact score, pint: dimensionless, min: 0.5}
  formula: 100 * (10 - score) / impact
  unit: {words: percent, pint: dimensionless}
  ask: By how much does its CVSS version 3 base score fall short of 10, in percent of its impact score?
- id: score_ratio
  family: comparative_ranking
  entities: 2
  topics: [vulnerabilities]
  inputs: {score: {property: 'first:cvss-v3-base-score', attribute: cvss_score, phrase: base score, pint: dimensionless, min: 1}}
  formula: 100 * a_score / b_score
  unit: {words: percent, pint: dimensionless}
  ask: What is the CVSS version 3 base score of the first, in percent of that of the second?
- id: exploitability_times_impact_ratio
  family: comparative_ranking
  entities: 2
  topics: [vulnerabilities]
  inputs:
    impact: {property: 'first:cvss-v3-impact-score', attribute: impact_score, phrase: impact score, pint: dimensionless, min: 0.5}
    ease: {property: 'first:cvss-v3-exploitability-score', attribute: exploitability_score, phrase: exploitability score, pint: dimensionless, min: 0.5}
  formula: 100 * a_impact * a_ease / (b_impact * b_ease)
  unit: {words: percent, pint: dimensionless}
  ask: Multiply the impact score of each one's CVSS version 3 rating by its exploitability score. What is the product of the first, in percent of that of the second?
- id: days_between_publications
  family: comparative_ranking
  entities: 2
  topics: [vulnerabilities]
  inputs: {published: {property: P577, attribute: published_on, phrase: date of publication, pint: day}}
  order_by: published
  least_answer: 1
  formula: b_published - a_published
  exact: true
  unit: {words: days, pint: day}
  ask: How many days before the second did the National Vulnerability Database publish the first? Give the answer in days.
""")) -}}
{%- endmacro %}
