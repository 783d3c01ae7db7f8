{#- Reasoning templates of the history domain. A date is the number of its day, counted from 1 January 1970 in the
    Gregorian calendar; days and years of age are exact. -#}
{% macro templates_history() -%}
    {{- return(fromyaml("""
- id: lifespan_in_days
  family: temporal_reasoning
  topics: [chemistry_laureates, physics_laureates, turing_laureates, us_presidents]
  inputs:
    born: {property: P569, attribute: born_on, phrase: date of birth, pint: day}
    died: {property: P570, attribute: died_on, phrase: date of death, pint: day}
  formula: died - born
  exact: true
  unit: {words: days, pint: day}
  ask: How many days passed from the day of birth to the day of death? Give the answer in days.
- id: weeks_to_the_middle_of_life
  family: temporal_reasoning
  topics: [chemistry_laureates, physics_laureates, us_presidents]
  inputs:
    born: {property: P569, attribute: born_on, phrase: date of birth, pint: day}
    died: {property: P570, attribute: died_on, phrase: date of death, pint: day}
  constants: {week: {value: 7, pint: day, source: 'definition of the week'}}
  formula: floor((died - born) / week / 2)
  exact: true
  unit: {words: weeks, pint: dimensionless}
  ask: How many whole weeks had this person lived at the middle of the time from the day of birth to the day of death? Give the answer in weeks.
- id: conflict_duration_in_days
  family: temporal_reasoning
  topics: [historical_conflicts]
  inputs:
    began: {property: P580, attribute: started_on, phrase: first day, pint: day}
    ended: {property: P582, attribute: ended_on, phrase: last day, pint: day}
  least_answer: 2
  formula: ended - began
  exact: true
  unit: {words: days, pint: day}
  ask: How many days after its first day was its last day? Give the answer in days.
- id: duration_ratio
  family: comparative_ranking
  entities: 2
  topics: [historical_conflicts]
  inputs:
    began: {property: P580, attribute: started_on, phrase: first day, pint: day}
    ended: {property: P582, attribute: ended_on, phrase: last day, pint: day}
  constants: {one: {value: 1, pint: day, source: 'the first day counts too'}}
  formula: 100 * (a_ended - a_began + one) / (b_ended - b_began + one)
  unit: {words: percent, pint: dimensionless}
  ask: Counting its first and its last day, how long was the first, in percent of the second?
- id: days_between_births
  family: comparative_ranking
  entities: 2
  topics: [chemistry_laureates, physics_laureates, turing_laureates, us_presidents]
  inputs: {born: {property: P569, attribute: born_on, phrase: date of birth, pint: day}}
  order_by: born
  formula: b_born - a_born
  exact: true
  unit: {words: days, pint: day}
  ask: How many days before the second was the first born? Give the answer in days.
- id: days_between_conflicts
  family: comparative_ranking
  entities: 2
  topics: [historical_conflicts]
  inputs: {began: {property: P580, attribute: started_on, phrase: first day, pint: day}}
  order_by: began
  least_answer: 1
  formula: b_began - a_began
  exact: true
  unit: {words: days, pint: day}
  ask: How many days after the first began did the second begin? Give the answer in days.
""")) -}}
{%- endmacro %}
