{#- Parts of a landed time ('-0044-03-15T00:00:00Z', '1789-00-00T00:00:00Z'): parts finer than the precision are 00. -#}

{#- BIGINT, n BCE is -n; NULL where the text is no such time. -#}
{% macro time_year(expr) -%}
    {{ text_to_bigint(regex_group(expr, '^(-?[0-9]{4,})-[0-9]{2}-[0-9]{2}T', 1)) }}
{%- endmacro %}

{% macro time_month(expr) -%}
    {{ text_to_bigint(regex_group(expr, '^-?[0-9]{4,}-([0-9]{2})-[0-9]{2}T', 1)) }}
{%- endmacro %}

{% macro time_day(expr) -%}
    {{ text_to_bigint(regex_group(expr, '^-?[0-9]{4,}-[0-9]{2}-([0-9]{2})T', 1)) }}
{%- endmacro %}

{#- BIGINT that sorts as the times do: year, month and day in one number; a coarser time sorts before the finer ones in it. -#}
{% macro time_key(expr) -%}
    (({{ time_year(expr) }}) * 10000 + ({{ time_month(expr) }}) * 100 + ({{ time_day(expr) }}))
{%- endmacro %}

{#- The last key a time can stand for: an unstated month counts as December, an unstated day as the 31st. -#}
{% macro time_key_end(expr) -%}
    (({{ time_year(expr) }}) * 10000
    + coalesce(nullif({{ time_month(expr) }}, 0), 12) * 100
    + coalesce(nullif({{ time_day(expr) }}, 0), 31))
{%- endmacro %}

{#- '2024', '2024-06' or '2024-06-30': the part of a landed time that is stated; NULL where the text is no such time. -#}
{% macro time_stated(expr) -%}
    nullif({{ regex_group(expr, '^(-?[0-9]{4,}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?)(-00)*T', 1) }}, '')
{%- endmacro %}

{#- BIGINT year of a time of year precision or finer whose stated parts are a real date; else NULL. There is no year 0. -#}
{% macro readable_year(value_time, precision) -%}
    case
        when {{ precision }} < 9 then null
        when ({{ time_year(value_time) }}) = 0 then null
        when {{ precision }} = 10 and ({{ time_month(value_time) }}) not between 1 and 12 then null
        when
            {{ precision }} >= 11
            and (
                ({{ time_month(value_time) }}) not between 1 and 12
                or ({{ time_day(value_time) }}) not between 1 and {{ days_in_month(time_year(value_time), time_month(value_time)) }}
            ) then null
        else {{ time_year(value_time) }}
    end
{%- endmacro %}

{#- 29 February is let through for every year: whether it existed depends on the calendar. -#}
{% macro days_in_month(year, month) -%}
    case when ({{ month }}) = 2 then 29 when ({{ month }}) in (4, 6, 9, 11) then 30 else 31 end
{%- endmacro %}

{#- DATE of a time exact to the day in the common era; else NULL. DATE counts in the (proleptic) Gregorian calendar, so a
    Julian day becomes the same day under its Gregorian name (14 October 1066 is 20 October): dates of both can be compared. -#}
{% macro readable_date(value_time, precision, calendar) -%}
    case
        when {{ precision }} < 11 or ({{ time_year(value_time) }}) not between 1 and 9999 then null
        when {{ calendar }} = 'julian'
            then {{ date_from_day_number(julian_day_number(time_year(value_time), time_month(value_time), time_day(value_time))) }}
        else {{ text_to_date('substr(' ~ value_time ~ ', 1, 10)') }}
    end
{%- endmacro %}

{#- Astronomers' Julian day number of a day of the Julian calendar. The year is counted from March, so that the leap
    day comes last: then 153 days make five months, and 1461 days four years. -#}
{% macro julian_day_number(year, month, day) -%}
    {%- set before_march = '(case when (' ~ month ~ ') <= 2 then 1 else 0 end)' -%}
    {%- set march_year = '((' ~ year ~ ') + 4800 - ' ~ before_march ~ ')' -%}
    {%- set march_month = '((' ~ month ~ ') - 3 + 12 * ' ~ before_march ~ ')' -%}
    (
        ({{ day }})
        + floor((153 * {{ march_month }} + 2) / 5)
        + 365 * {{ march_year }} + floor({{ march_year }} / 4)
        - 32083
    )
{%- endmacro %}

{#- A landed time so many years earlier, from the year 1000 on; a leap day, of which another year may have none,
    and any other text stay as they are. -#}
{% macro years_earlier(expr, years) -%}
    case
        when {{ time_year(expr) }} between 1000 and 9999 and not ({{ time_month(expr) }} = 2 and {{ time_day(expr) }} = 29)
            then {{ padded_year(time_year(expr) ~ ' - ' ~ years) }} || substr({{ expr }}, 5)
        else {{ expr }}
    end
{%- endmacro %}
