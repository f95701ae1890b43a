-- Join orders over skewed and correlated tables: one statement a line.
-- J1
SELECT COUNT(*),MIN(t.title) FROM title t, movie_companies mc, company_name cn, company_type ct WHERE mc.movie_id=t.id AND mc.company_id=cn.id AND mc.company_type_id=ct.id AND ct.kind='production companies' AND cn.country_code='[de]' AND t.production_year>2010;
-- J2
SELECT COUNT(*),MIN(t.title) FROM title t, movie_keyword mk, keyword k, movie_companies mc, company_name cn WHERE mk.movie_id=t.id AND mk.keyword_id=k.id AND mc.movie_id=t.id AND mc.company_id=cn.id AND k.keyword='sequel' AND cn.country_code='[de]';
-- J3
SELECT COUNT(*),MIN(t.title) FROM title t, movie_keyword mk, keyword k, movie_info mi WHERE mk.movie_id=t.id AND mk.keyword_id=k.id AND mi.movie_id=t.id AND k.keyword LIKE '%hero%' AND mi.info IN ('[se]','[de]') AND t.production_year>2005;
-- J4
SELECT COUNT(*),MIN(t.title) FROM title t, movie_info_idx mi, info_type it, movie_keyword mk, keyword k WHERE mi.movie_id=t.id AND it.id=mi.info_type_id AND it.info='rating' AND mk.movie_id=t.id AND mk.keyword_id=k.id AND k.keyword='superhero' AND mi.info>'5.0';
-- J5
SELECT COUNT(*),MIN(t.title) FROM title t, cast_info ci, name n, role_type rt WHERE ci.movie_id=t.id AND ci.person_id=n.id AND rt.id=ci.role_id AND rt.role='composer' AND n.gender='f' AND t.production_year BETWEEN 2000 AND 2010;
-- J6
SELECT COUNT(*),MIN(n.name) FROM cast_info ci, name n, movie_keyword mk, keyword k, title t WHERE ci.movie_id=t.id AND ci.person_id=n.id AND mk.movie_id=t.id AND mk.keyword_id=k.id AND k.keyword='superhero' AND n.name_pcode LIKE 'Z%' AND t.production_year>2000;
-- J7
SELECT COUNT(*),MIN(n.name) FROM aka_name an, cast_info ci, company_name cn, movie_companies mc, name n, role_type rt, title t WHERE an.person_id=n.id AND n.id=ci.person_id AND ci.movie_id=t.id AND t.id=mc.movie_id AND mc.company_id=cn.id AND ci.role_id=rt.id AND cn.country_code='[jp]' AND rt.role='writer' AND ci.note='(voice)';
-- J8
SELECT COUNT(*),MIN(t.title) FROM title t, movie_info mi, info_type it, movie_info_idx mx, info_type it2, kind_type kt WHERE mi.movie_id=t.id AND mi.info_type_id=it.id AND mx.movie_id=t.id AND mx.info_type_id=it2.id AND kt.id=t.kind_id AND it.info='genres' AND it2.info='rating' AND mi.info='Horror' AND kt.kind='movie' AND mx.info>'8.0';
-- J9
SELECT COUNT(*),MIN(t.title) FROM title t, movie_info mi, info_type it, movie_companies mc, company_name cn, company_type ct, kind_type kt WHERE mi.movie_id=t.id AND mi.info_type_id=it.id AND mc.movie_id=t.id AND mc.company_id=cn.id AND ct.id=mc.company_type_id AND kt.id=t.kind_id AND it.info='budget' AND cn.country_code='[us]' AND kt.kind='tv mini series';
-- J10
SELECT COUNT(*),MIN(t.title) FROM kind_type kt, title t, movie_keyword mk, keyword k, movie_companies mc, company_name cn, movie_info mi, info_type it WHERE kt.id=t.kind_id AND mk.movie_id=t.id AND mk.keyword_id=k.id AND mc.movie_id=t.id AND mc.company_id=cn.id AND mi.movie_id=t.id AND it.id=mi.info_type_id AND k.keyword='murder' AND kt.kind='movie' AND it.info='countries' AND mi.info='[de]' AND cn.country_code='[se]';
-- J11
SELECT COUNT(*),MIN(n.name) FROM cast_info ci, name n, title t, role_type rt, movie_info mi, info_type it, movie_info_idx mx, info_type it2 WHERE ci.movie_id=t.id AND ci.person_id=n.id AND rt.id=ci.role_id AND mi.movie_id=t.id AND it.id=mi.info_type_id AND mx.movie_id=t.id AND it2.id=mx.info_type_id AND rt.role='editor' AND n.gender='f' AND it.info='genres' AND mi.info='Sci-Fi' AND it2.info='votes';
-- J12
SELECT COUNT(*),MIN(t.title) FROM title t, movie_keyword mk, keyword k, movie_keyword mk2, keyword k2 WHERE mk.movie_id=t.id AND mk.keyword_id=k.id AND mk2.movie_id=t.id AND mk2.keyword_id=k2.id AND k.keyword='kw-500' AND k2.keyword='kw-700';
-- J13
SELECT COUNT(*),MIN(n.name) FROM name n, cast_info c1, cast_info c2, title t1, title t2 WHERE n.id=c1.person_id AND n.id=c2.person_id AND t1.id=c1.movie_id AND t2.id=c2.movie_id AND t1.production_year=1935 AND t2.production_year=1936 AND n.gender='f';
-- J14
SELECT COUNT(*),MIN(t.title) FROM company_name cn, company_type ct, movie_companies mc, title t, kind_type kt, movie_info mi, info_type it, movie_info_idx mx, info_type it2, movie_keyword mk, keyword k WHERE cn.id=mc.company_id AND ct.id=mc.company_type_id AND t.id=mc.movie_id AND kt.id=t.kind_id AND mi.movie_id=t.id AND it.id=mi.info_type_id AND mx.movie_id=t.id AND it2.id=mx.info_type_id AND mk.movie_id=t.id AND k.id=mk.keyword_id AND k.keyword='kw-77' AND it.info='genres' AND it2.info='rating' AND cn.country_code='[us]';
-- J15
SELECT COUNT(*),MIN(n.name) FROM aka_name an, cast_info ci, company_name cn, company_type ct, movie_companies mc, name n, role_type rt, title t, kind_type kt, movie_info mi, info_type it, movie_keyword mk WHERE an.person_id=n.id AND n.id=ci.person_id AND ci.movie_id=t.id AND mc.movie_id=t.id AND mc.company_id=cn.id AND ct.id=mc.company_type_id AND rt.id=ci.role_id AND kt.id=t.kind_id AND mi.movie_id=t.id AND it.id=mi.info_type_id AND mk.movie_id=t.id AND it.info='budget' AND rt.role='director' AND n.gender='f' AND cn.country_code='[it]' AND kt.kind='video game';
-- J16
SELECT COUNT(*),MIN(t.title) FROM title t, movie_info mi WHERE mi.movie_id=t.id AND mi.info='Western' AND mi.info_type_id=1 AND t.kind_id=5 AND t.production_year=1990;
-- J17
SELECT COUNT(*) FROM movie_keyword mk JOIN title t ON t.id=mk.movie_id LEFT JOIN movie_info_idx mx ON mx.movie_id=t.id AND mx.info_type_id=2 LEFT JOIN movie_companies mc ON mc.movie_id=t.id AND mc.note='(VHS)' JOIN keyword k ON k.id=mk.keyword_id WHERE k.keyword='kw-1000' AND mx.id IS NULL;
-- J18
SELECT COUNT(*) FROM title t JOIN kind_type kt ON kt.id=t.kind_id WHERE kt.kind='movie' AND EXISTS (SELECT 1 FROM movie_keyword mk JOIN keyword k ON k.id=mk.keyword_id WHERE mk.movie_id=t.id AND k.keyword='kw-900') AND NOT EXISTS (SELECT 1 FROM movie_companies mc JOIN company_name cn ON cn.id=mc.company_id WHERE mc.movie_id=t.id AND cn.country_code='[us]');
-- J19
SELECT COUNT(*),MIN(t.title) FROM title t, cast_info ci, movie_companies mc WHERE ci.movie_id=t.id AND mc.movie_id=t.id AND ci.note='(voice)' AND mc.note='(co-production)' AND t.production_year=1950;
-- J20
SELECT k.keyword, COUNT(*) c FROM title t, movie_keyword mk, keyword k, movie_info mi WHERE t.id=mk.movie_id AND k.id=mk.keyword_id AND mi.movie_id=t.id AND mi.info='Documentary' AND t.production_year>2015 GROUP BY k.keyword ORDER BY c DESC,k.keyword LIMIT 10;
