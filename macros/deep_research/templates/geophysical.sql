{#- Reasoning templates of the geophysical domain; README.md in models/deep_research says what each key means. -#}
{% macro templates_geophysical() -%}
    {{- return(fromyaml("""
- id: air_pressure
  family: scientific_inference
  topics: [mountains]
  inputs: {h: {property: P2044, attribute: elevation_m, phrase: elevation above sea level, pint: m, min: 500, max: 9000}}
  constants:
    p0: {value: 101325, pint: Pa, source: ICAO Doc 7488/3 (1993), standard atmosphere}
    t0: {value: 288.15, pint: K, source: ICAO Doc 7488/3 (1993), standard atmosphere}
    lapse: {value: 0.0065, pint: K/m, source: ICAO Doc 7488/3 (1993), standard atmosphere}
    g: {value: 9.80665, pint: m/s**2, source: CODATA 2018, standard acceleration of gravity}
    m: {value: 0.0289644, pint: kg/mol, source: 'U.S. Standard Atmosphere, 1976'}
    r: {value: 8.31446, pint: J/(mol*K), source: CODATA 2018, molar gas constant}
  formula: p0 * power(1 - lapse * h / t0, g * m / (r * lapse))
  scale: 1000
  unit: {words: kilopascals, pint: kPa}
  ask: In the standard atmosphere (101,325 Pa and 288.15 K at sea level, 6.5 K colder with each kilometre), what is the air pressure at its elevation above sea level, in kilopascals?
- id: boiling_point_lowered
  family: scientific_inference
  topics: [mountains]
  inputs: {h: {property: P2044, attribute: elevation_m, phrase: elevation above sea level, pint: m, min: 500, max: 9000}}
  constants:
    t0: {value: 288.15, pint: K, source: ICAO Doc 7488/3 (1993), standard atmosphere}
    lapse: {value: 0.0065, pint: K/m, source: ICAO Doc 7488/3 (1993), standard atmosphere}
    g: {value: 9.80665, pint: m/s**2, source: CODATA 2018, standard acceleration of gravity}
    m: {value: 0.0289644, pint: kg/mol, source: 'U.S. Standard Atmosphere, 1976'}
    r: {value: 8.31446, pint: J/(mol*K), source: CODATA 2018, molar gas constant}
    tb: {value: 373.15, pint: K, source: 'normal boiling point of water, stated in the question'}
    hv: {value: 40660, pint: J/mol, source: 'enthalpy of vaporisation of water at its boiling point, CRC Handbook of Chemistry and Physics (97th ed.), 40.65 kJ/mol; stated in the question'}
  formula: tb - 1 / (1 / tb - r * (g * m / (r * lapse)) * ln(1 - lapse * h / t0) / hv)
  unit: {words: kelvins, pint: K}
  ask: Take the standard atmosphere (288.15 K at sea level, 6.5 K colder with each kilometre) and water that boils at 373.15 K at sea level with an enthalpy of vaporisation of 40.66 kJ/mol. By the Clausius-Clapeyron equation, by how many kelvins does water boil lower at its elevation above sea level?
- id: cooling_with_height
  family: scientific_inference
  topics: [mountains]
  inputs: {h: {property: P2044, attribute: elevation_m, phrase: elevation above sea level, pint: m, min: 500, max: 9000}}
  constants:
    lapse: {value: 0.0065, pint: K/m, source: ICAO Doc 7488/3 (1993), standard atmosphere}
    t0: {value: 288.15, pint: K, source: ICAO Doc 7488/3 (1993), standard atmosphere}
  formula: 100 * lapse * h / t0
  unit: {words: percent, pint: dimensionless}
  ask: In the standard atmosphere (288.15 K at sea level, 6.5 K colder with each kilometre), how many percent of its absolute temperature at sea level has the air lost at its elevation above sea level? Give the answer in percent.
- id: pendulum_clock_delay
  family: scientific_inference
  topics: [mountains]
  inputs: {h: {property: P2044, attribute: elevation_m, phrase: elevation above sea level, pint: m, min: 500, max: 9000}}
  constants:
    day: {value: 86400, pint: s, source: 'definition of the day'}
    radius: {value: 6371000, pint: m, source: 'IUGG mean radius of the Earth, rounded'}
  formula: day * h / (radius + h)
  unit: {words: seconds, pint: s}
  ask: A pendulum clock keeps time at sea level. With gravity falling off with the inverse square of the distance from the centre of the Earth (radius 6,371 km), how many seconds does it lose in 86,400 s of true time at its elevation above sea level?
- id: horizon_distance
  family: scientific_inference
  topics: [mountains]
  inputs: {h: {property: P2044, attribute: elevation_m, phrase: elevation above sea level, pint: m, min: 500, max: 9000}}
  constants: {radius: {value: 6371000, pint: m, source: 'IUGG mean radius of the Earth, rounded'}}
  formula: sqrt(2 * radius * h + h * h)
  scale: 1000
  unit: {words: kilometres, pint: km}
  ask: Without refraction and over a sea-level horizon on a sphere of radius 6,371 km, how far in a straight line is the horizon from a point at its elevation above sea level, in kilometres?
- id: prominence_share
  family: quantitative_modelling
  topics: [mountains]
  inputs:
    h: {property: P2044, attribute: elevation_m, phrase: elevation above sea level, pint: m, min: 500, max: 9000}
    p: {property: P2660, attribute: prominence_m, phrase: topographic prominence, pint: m, min: 30, max: 9000}
  formula: 100 * p / h
  unit: {words: percent, pint: dimensionless}
  ask: What is its topographic prominence as a share of its elevation above sea level, in percent?
- id: key_col_pressure
  family: scientific_inference
  topics: [mountains]
  inputs:
    h: {property: P2044, attribute: elevation_m, phrase: elevation above sea level, pint: m, min: 1000, max: 9000}
    p: {property: P2660, attribute: prominence_m, phrase: topographic prominence, pint: m, min: 300, max: 9000}
  constants:
    p0: {value: 101325, pint: Pa, source: ICAO Doc 7488/3 (1993), standard atmosphere}
    t0: {value: 288.15, pint: K, source: ICAO Doc 7488/3 (1993), standard atmosphere}
    lapse: {value: 0.0065, pint: K/m, source: ICAO Doc 7488/3 (1993), standard atmosphere}
    g: {value: 9.80665, pint: m/s**2, source: CODATA 2018, standard acceleration of gravity}
    m: {value: 0.0289644, pint: kg/mol, source: 'U.S. Standard Atmosphere, 1976'}
    r: {value: 8.31446, pint: J/(mol*K), source: CODATA 2018, molar gas constant}
  formula: p0 * (power(1 - lapse * (h - p) / t0, g * m / (r * lapse)) - power(1 - lapse * h / t0, g * m / (r * lapse)))
  scale: 1000
  unit: {words: kilopascals, pint: kPa}
  ask: In the standard atmosphere (101,325 Pa and 288.15 K at sea level, 6.5 K colder with each kilometre), how much higher is the air pressure at its key col (its elevation above sea level less its topographic prominence) than at its summit, in kilopascals?
- id: rotation_speed
  family: scientific_inference
  topics: [mountains]
  inputs: {lat: {property: P625, attribute: latitude, phrase: latitude, pint: degree, min: 20, max: 85}}
  constants:
    radius: {value: 6371000, pint: m, source: 'IUGG mean radius of the Earth, rounded'}
    day: {value: 86164.1, pint: s, source: 'IERS Conventions (2010), sidereal day'}
  formula: 2 * pi() * radius * cos(radians(lat)) / day
  unit: {words: metres per second, pint: m/s}
  ask: Take the Earth as a sphere of radius 6,371 km that turns once in 86,164.1 s. How fast does a point at sea level at its latitude move around the Earth's axis, in metres per second?
- id: distance_from_origin_of_coordinates
  family: quantitative_modelling
  topics: [mountains]
  inputs:
    lat: {property: P625, attribute: latitude, phrase: latitude, pint: degree, min: -85, max: 85}
    lon: {property: P625, attribute: longitude, phrase: longitude, pint: degree, min: -180, max: 180}
  constants: {radius: {value: 6371000, pint: m, source: 'IUGG mean radius of the Earth, rounded'}}
  formula: 2 * radius * asin(sqrt(power(sin(radians(lat) / 2), 2) + cos(radians(lat)) * power(sin(radians(lon) / 2), 2)))
  scale: 1000
  unit: {words: kilometres, pint: km}
  ask: On a sphere of radius 6,371 km, how far along a great circle is it from the point where the equator meets the prime meridian, in kilometres?
- id: line_of_sight
  family: comparative_ranking
  entities: 2
  topics: [mountains]
  inputs: {h: {property: P2044, attribute: elevation_m, phrase: elevation above sea level, pint: m, min: 500, max: 9000}}
  constants: {radius: {value: 6371000, pint: m, source: 'IUGG mean radius of the Earth, rounded'}}
  formula: sqrt(2 * radius * a_h + a_h * a_h) + sqrt(2 * radius * b_h + b_h * b_h)
  scale: 1000
  unit: {words: kilometres, pint: km}
  ask: Two points stand above a sphere of radius 6,371 km, one as high as the elevation above sea level of the first and one as high as that of the second. Without refraction, up to what straight-line distance can they see each other, in kilometres?
- id: pressure_ratio
  family: comparative_ranking
  entities: 2
  topics: [mountains]
  inputs: {h: {property: P2044, attribute: elevation_m, phrase: elevation above sea level, pint: m, min: 500, max: 9000}}
  constants:
    t0: {value: 288.15, pint: K, source: ICAO Doc 7488/3 (1993), standard atmosphere}
    lapse: {value: 0.0065, pint: K/m, source: ICAO Doc 7488/3 (1993), standard atmosphere}
    g: {value: 9.80665, pint: m/s**2, source: CODATA 2018, standard acceleration of gravity}
    m: {value: 0.0289644, pint: kg/mol, source: 'U.S. Standard Atmosphere, 1976'}
    r: {value: 8.31446, pint: J/(mol*K), source: CODATA 2018, molar gas constant}
  formula: 100 * power((1 - lapse * a_h / t0) / (1 - lapse * b_h / t0), g * m / (r * lapse))
  unit: {words: percent, pint: dimensionless}
  ask: In the standard atmosphere (288.15 K at sea level, 6.5 K colder with each kilometre), what is the air pressure at the elevation above sea level of the first, in percent of that of the second?
- id: population_density
  family: quantitative_modelling
  topics: [countries]
  inputs:
    n: {property: P1082, attribute: population, phrase: population, pint: dimensionless, min: 1000}
    a: {property: P2046, attribute: area_km2, phrase: area, pint: km**2, min: 1}
  formula: n / a
  unit: {words: people per square kilometre, pint: 1/km**2}
  ask: From its population{as_of} and its area, how densely is it populated, in people per square kilometre?
- id: population_after_growth
  family: quantitative_modelling
  topics: [countries]
  inputs: {n: {property: P1082, attribute: population, phrase: population, pint: dimensionless, min: 1000}}
  parameters: {rate: [1, 1.5, 2, 2.5], years: [15, 20, 30]}
  formula: n * power(1 + rate / 100, years)
  unit: {words: people, pint: dimensionless}
  ask: If its population{as_of} grew by {rate}% each year, how many people would live there after {years} years? Give the answer in people.
- id: radius_of_equal_area
  family: quantitative_modelling
  topics: [countries, lakes, us_states]
  inputs: {a: {property: P2046, attribute: area_km2, phrase: area, pint: km**2, min: 1}}
  formula: sqrt(a / pi())
  unit: {words: kilometres, pint: km}
  ask: What is the radius of a circle in a plane that has its area, in kilometres?
- id: coastline_by_area
  family: quantitative_modelling
  topics: [countries]
  inputs:
    c: {property: P5141, attribute: coastline_km, phrase: length of the coastline, pint: km, min: 20}
    a: {property: P2046, attribute: area_km2, phrase: area, pint: km**2, min: 100}
  formula: 1000 * c / a
  unit: {words: metres per square kilometre, pint: m/km**2}
  ask: How much coastline has it for its area, in metres per square kilometre?
- id: water_volume
  family: quantitative_modelling
  topics: [lakes]
  inputs: {a: {property: P2046, attribute: area_km2, phrase: surface area, pint: km**2, min: 1}}
  parameters: {depth: [12, 18, 25, 40]}
  formula: a * depth / 1000
  unit: {words: cubic kilometres, pint: km**3}
  parameter_units: {depth: m}
  ask: If it were {depth} metres deep everywhere, how much water would its surface area hold, in cubic kilometres?
- id: evaporated_water
  family: scientific_inference
  topics: [lakes]
  inputs: {a: {property: P2046, attribute: area_km2, phrase: surface area, pint: km**2, min: 1}}
  parameters: {rate: [2, 3, 4, 5]}
  constants: {day: {value: 86400, pint: s, source: 'definition of the day'}}
  formula: a * 1000 * rate / day
  unit: {words: cubic metres per second, pint: m**3/s}
  parameter_units: {rate: mm}
  ask: If {rate} millimetres of water evaporated from its whole surface each day, what inflow in cubic metres per second would make up for it?
- id: area_ratio
  family: comparative_ranking
  entities: 2
  topics: [lakes]
  inputs: {a: {property: P2046, attribute: area_km2, phrase: surface area, pint: km**2, min: 1}}
  formula: 100 * a_a / b_a
  unit: {words: percent, pint: dimensionless}
  ask: What is the surface area of the first, in percent of that of the second?
- id: drift_time
  family: quantitative_modelling
  topics: [rivers]
  inputs: {length: {property: P2043, attribute: length_km, phrase: length, pint: km, min: 100}}
  parameters: {speed: [0.5, 0.8, 1.2, 1.5]}
  constants: {day: {value: 86400, pint: s, source: 'definition of the day'}}
  formula: 1000 * length / speed / day
  unit: {words: days, pint: dimensionless}
  parameter_units: {speed: m/s}
  ask: How many days would a log take to drift its whole length at a steady {speed} metres per second?
- id: mean_discharge
  family: scientific_inference
  topics: [rivers]
  inputs: {w: {property: P2053, attribute: watershed_km2, phrase: area of its drainage basin, pint: km**2, min: 100}}
  parameters: {runoff: [120, 200, 300, 450]}
  constants: {year: {value: 31557600, pint: s, source: 'Julian year'}}
  formula: w * 1000 * runoff / year
  unit: {words: cubic metres per second, pint: m**3/s}
  parameter_units: {runoff: mm}
  ask: If {runoff} millimetres of water a year ran off the area of its drainage basin, what would its mean discharge at the mouth be, in cubic metres per second (a year of 365.25 days)?
- id: length_ratio
  family: comparative_ranking
  entities: 2
  topics: [rivers]
  inputs: {length: {property: P2043, attribute: length_km, phrase: length, pint: km, min: 100}}
  formula: 100 * a_length / b_length
  unit: {words: percent, pint: dimensionless}
  ask: What is the length of the first, in percent of that of the second?
""")) -}}
{%- endmacro %}
