/**
 * Writes config/prometheus/metrics.md from the definitions of metrics, and checks that alert rules and dashboards use no others.
 *
 *   node --import=tsx scripts/gen-metrics.ts [--check]
 *
 * --check writes nothing and exits with 1 when the page differs.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { DEGRADED_NAMES } from '@keelson/consensus'
import { DASHBOARDS } from './dashboards/dashboards.ts'
import { readDefinitions } from './metrics/definitions.ts'
import { renderReference } from './metrics/reference.ts'
import { readRules } from './metrics/rules.ts'
import { unknownMetrics } from './metrics/used-metrics.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGE = join(ROOT, 'config', 'prometheus', 'metrics.md')
const { values: args } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const definitions = readDefinitions(ROOT)
const text = renderReference(definitions, DEGRADED_NAMES)
const panels = DASHBOARDS.flatMap(({ name, panels }) =>
  panels.flatMap(({ title, queries }) => queries.map(([, expression]) => ({ where: `panel "${title}" of ${name}`, expression }))),
)
const problems = [...readRules(ROOT), ...panels].flatMap(({ where, expression }) =>
  unknownMetrics(expression, definitions).map((name) => `${where} uses ${name}, which no client defines`),
)
if (!existsSync(PAGE) || readFileSync(PAGE, 'utf8') !== text) {
  if (args.check) problems.push('config/prometheus/metrics.md differs from the definitions; run node --import=tsx scripts/gen-metrics.ts')
  else writeFileSync(PAGE, text)
}
for (const problem of problems) console.error(problem)
console.log(`${definitions.length} metrics, ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1
