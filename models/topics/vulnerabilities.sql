with vulnerabilities as (
    select
        entity_id,
        label,
        {{ year('P577') }} as published_year,
        {{ date('P577') }} as published_on,
        {{ number('first:cvss-v3-base-score') }} as cvss_score,
        {{ number('first:cvss-v3-exploitability-score') }} as exploitability_score,
        {{ number('first:cvss-v3-impact-score') }} as impact_score,
        {{ number('first:cvss-v2-base-score') }} as cvss2_score,
        {{ category('first:cvss-v3-severity') }} as severity,
        {{ category('first:cvss-v3-attack-vector') }} as attack_vector,
        {{ text('first:cvss-v3-privileges-required') }} as privileges_required,
        {{ boolean('first:cvss-v3-user-interaction', 'required') }} as needs_user_interaction,
        {{ categories('nvd:weakness') }} as weaknesses,
        {{ category('nvd:affected-product') }} as product,
        {{ category('nvd:affected-product/P31') }} as product_kind,
        {{ category('nvd:affected-product/P178') }} as vendor,
        {{ date('cisa:kev-date-added') }} as kev_added_on,
        {{ date('cisa:kev-due-date') }} as kev_due_on,
        {{ boolean('cisa:kev-ransomware-use', 'known') }} as is_used_in_ransomware
    from {{ topic_facts(classes=['typed:class/software-vulnerability'], hops=['nvd:affected-product']) }}
    group by entity_id, label
)

select
    *,
    privileges_required != 'none' as needs_privileges,
    cast({{ days_between('kev_added_on', 'kev_due_on') }} as double) as kev_remediation_days
from vulnerabilities
-- What is known by its EPSS probability alone has nothing else to ask about.
where product is not null
