{#- Reasoning templates of the biochemistry domain. -#}
{% macro templates_biochemistry() -%}
    {{- return(fromyaml("""
- id: amount_in_mass
  family: quantitative_modelling
  topics: [chemical_compounds]
  inputs: {m: {property: P2067, attribute: molecular_mass_da, phrase: molecular mass, pint: g/mol, min: 2}}
  parameters: {mass: [5, 12, 25, 40]}
  parameter_units: {mass: g}
  formula: 1000 * mass / m
  unit: {words: millimoles, pint: mmol}
  ask: How much of it is in {mass} grams, in millimoles, as its molecular mass has it?
- id: concentration
  family: quantitative_modelling
  topics: [chemical_compounds]
  inputs: {m: {property: P2067, attribute: molecular_mass_da, phrase: molecular mass, pint: g/mol, min: 2}}
  parameters: {mass: [2, 3, 7, 9], volume: [250, 400, 750]}
  parameter_units: {mass: g, volume: ml}
  formula: 1000000 * mass / m / volume
  unit: {words: millimoles per litre, pint: mmol/l}
  ask: If {mass} grams of it were dissolved to give {volume} millilitres, what would the concentration be, in millimoles per litre, as its molecular mass has it?
- id: molar_volume
  family: scientific_inference
  topics: [chemical_compounds]
  inputs:
    m: {property: P2067, attribute: molecular_mass_da, phrase: molecular mass, pint: g/mol, min: 2}
    d: {property: P2054, attribute: density_kg_m3, phrase: density, pint: kg/m**3, min: 300, max: 25000}
  formula: 1000 * m / d
  unit: {words: cubic centimetres per mole, pint: cm**3/mol}
  ask: From its molecular mass and its density as a liquid or solid, what is its molar volume, in cubic centimetres per mole?
- id: molar_refraction
  family: scientific_inference
  topics: [chemical_compounds]
  inputs:
    m: {property: P2067, attribute: molecular_mass_da, phrase: molecular mass, pint: g/mol, min: 2}
    d: {property: P2054, attribute: density_kg_m3, phrase: density, pint: kg/m**3, min: 300, max: 25000}
    n: {property: P1109, attribute: refractive_index, phrase: refractive index, pint: dimensionless, min: 1.2, max: 3}
  formula: (n * n - 1) / (n * n + 2) * 1000 * m / d
  unit: {words: cubic centimetres per mole, pint: cm**3/mol}
  ask: By the Lorentz-Lorenz equation, from its refractive index, molecular mass and density, what is its molar refraction, in cubic centimetres per mole?
- id: entropy_of_vaporisation
  family: scientific_inference
  topics: [chemical_compounds]
  inputs:
    hv: {property: P2116, attribute: vaporisation_enthalpy_kj_mol, phrase: molar enthalpy of vaporisation, pint: kJ/mol, min: 1}
    tb: {property: P2102, attribute: boiling_point_k, phrase: boiling point, pint: K, min: 50}
  formula: 1000 * hv / tb
  unit: {words: joules per mole and kelvin, pint: J/(mol*K)}
  ask: What is its molar enthalpy of vaporisation at its boiling point divided by its absolute boiling point, in joules per mole and kelvin?
- id: entropy_of_fusion
  family: scientific_inference
  topics: [chemical_compounds]
  inputs:
    hf: {property: P2066, attribute: fusion_enthalpy_kj_mol, phrase: molar enthalpy of fusion, pint: kJ/mol, min: 0.1}
    tm: {property: P2101, attribute: melting_point_k, phrase: melting point, pint: K, min: 10}
  formula: 1000 * hf / tm
  unit: {words: joules per mole and kelvin, pint: J/(mol*K)}
  ask: What is its molar entropy of fusion, as its molar enthalpy of fusion divided by its absolute melting point, in joules per mole and kelvin?
- id: vapour_pressure
  family: scientific_inference
  topics: [chemical_compounds]
  inputs:
    hv: {property: P2116, attribute: vaporisation_enthalpy_kj_mol, phrase: molar enthalpy of vaporisation, pint: kJ/mol, min: 1}
    tb: {property: P2102, attribute: boiling_point_k, phrase: boiling point, pint: K, min: 310, max: 420}
  constants:
    p0: {value: 101.325, pint: kPa, source: 'standard atmosphere, stated in the question'}
    t: {value: 298.15, pint: K, source: 'stated in the question'}
    r: {value: 0.00831446, pint: kJ/(mol*K), source: CODATA 2018, molar gas constant}
  formula: p0 * exp(hv / r * (1 / tb - 1 / t))
  unit: {words: kilopascals, pint: kPa}
  ask: Let the Clausius-Clapeyron equation hold from its boiling point (at 101.325 kPa) down to 298.15 K, with the molar enthalpy of vaporisation constant at its value at the boiling point. What is then its vapour pressure at 298.15 K, in kilopascals?
- id: heat_of_vaporising
  family: quantitative_modelling
  topics: [chemical_compounds]
  inputs:
    hv: {property: P2116, attribute: vaporisation_enthalpy_kj_mol, phrase: molar enthalpy of vaporisation, pint: kJ/mol, min: 1}
    m: {property: P2067, attribute: molecular_mass_da, phrase: molecular mass, pint: g/mol, min: 2}
  parameters: {mass: [20, 35, 50, 80]}
  parameter_units: {mass: g}
  formula: mass / m * hv
  unit: {words: kilojoules, pint: kJ}
  ask: From its molecular mass and its molar enthalpy of vaporisation at its boiling point, how much heat does it take to vaporise {mass} grams of it, in kilojoules?
- id: liquid_range
  family: comparative_ranking
  topics: [chemical_compounds]
  inputs:
    tm: {property: P2101, attribute: melting_point_k, phrase: melting point, pint: K, min: 10}
    tb: {property: P2102, attribute: boiling_point_k, phrase: boiling point, pint: K, min: 50}
  least_answer: 5
  formula: tb - tm
  unit: {words: kelvins, pint: K}
  ask: Over how many kelvins is it a liquid, from its melting point to its boiling point?
- id: critical_molar_volume
  family: scientific_inference
  topics: [chemical_compounds]
  inputs:
    tc: {property: P2076, attribute: critical_temperature_k, phrase: critical temperature, pint: K, min: 50}
    pc: {property: P2077, attribute: critical_pressure_mpa, phrase: critical pressure, pint: MPa, min: 0.1}
  constants: {r: {value: 8.31446, pint: J/(mol*K), source: CODATA 2018, molar gas constant}}
  formula: 3 * r * tc / (8 * pc)
  unit: {words: cubic centimetres per mole, pint: cm**3/mol}
  ask: What critical molar volume does van der Waals' equation give for its critical temperature and critical pressure, in cubic centimetres per mole?
- id: mass_ratio
  family: comparative_ranking
  entities: 2
  topics: [chemical_compounds]
  inputs: {m: {property: P2067, attribute: molecular_mass_da, phrase: molecular mass, pint: g/mol, min: 2}}
  formula: 100 * a_m / b_m
  unit: {words: percent, pint: dimensionless}
  ask: What is the molecular mass of the first, in percent of that of the second?
- id: protein_amount_in_mass
  family: quantitative_modelling
  topics: [proteins]
  inputs: {m: {property: P2067, attribute: mass_da, phrase: molecular mass, pint: g/mol, min: 500}}
  parameters: {mass: [2, 5, 8, 15]}
  parameter_units: {mass: mg}
  formula: 1000000 * mass / m
  unit: {words: nanomoles, pint: nmol}
  ask: Going by the molecular mass that UniProt gives for the unprocessed chain, how much of it is in {mass} milligrams, in nanomoles?
- id: coding_sequence_length
  family: scientific_inference
  topics: [proteins]
  inputs: {length: {property: 'uniprot:length', attribute: length_residues, phrase: length, pint: dimensionless, min: 10}}
  formula: 3 * length + 3
  exact: true
  unit: {words: nucleotides, pint: dimensionless}
  ask: Going by the length that UniProt gives for the unprocessed chain, how many nucleotides has its coding sequence, start and stop codon included? Give the answer in nucleotides.
- id: helix_length
  family: scientific_inference
  topics: [proteins]
  inputs: {length: {property: 'uniprot:length', attribute: length_residues, phrase: length, pint: dimensionless, min: 10}}
  constants: {rise: {value: 0.15, pint: nm, source: 'rise of the alpha helix a residue, Pauling, Corey and Branson (1951), stated in the question'}}
  formula: rise * length
  unit: {words: nanometres, pint: nm}
  ask: If the whole unprocessed chain, with the length that UniProt gives, were one alpha helix with a rise of 0.15 nm a residue, how long would it be, in nanometres?
- id: translation_time
  family: quantitative_modelling
  topics: [proteins]
  inputs: {length: {property: 'uniprot:length', attribute: length_residues, phrase: length, pint: dimensionless, min: 10}}
  parameters: {rate: [4, 6, 12, 18]}
  parameter_units: {rate: 1/s}
  formula: length / rate
  unit: {words: seconds, pint: s}
  ask: At {rate} amino-acid residues per second, how many seconds does a ribosome take for its unprocessed chain, with the length that UniProt gives?
- id: sphere_radius
  family: scientific_inference
  topics: [proteins]
  inputs: {m: {property: P2067, attribute: mass_da, phrase: molecular mass, pint: g/mol, min: 500}}
  constants:
    v: {value: 0.73, pint: cm**3/g, source: 'partial specific volume of proteins, Erickson (2009), stated in the question'}
    avogadro: {value: 6.02214076e23, pint: 1/mol, source: CODATA 2018, Avogadro constant}
  formula: 10000000 * power(3 * v * m / (4 * pi() * avogadro), 1 / 3.0)
  unit: {words: nanometres, pint: nm}
  ask: If its unprocessed chain, with the molecular mass that UniProt gives, were folded to a compact sphere of 0.73 cubic centimetres per gram, what would the radius be, in nanometres?
- id: protein_mass_ratio
  family: comparative_ranking
  entities: 2
  topics: [proteins]
  inputs: {m: {property: P2067, attribute: mass_da, phrase: molecular mass, pint: g/mol, min: 500}}
  formula: 100 * a_m / b_m
  unit: {words: percent, pint: dimensionless}
  ask: What is the molecular mass of the first, in percent of that of the second, as UniProt gives them for the unprocessed chains?
""")) -}}
{%- endmacro %}
