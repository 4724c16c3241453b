/**
 * Writes config/grafana from scripts/dashboards, and validates it with the schema of Grafana's dashboards.
 *
 *   node --import=tsx scripts/gen-dashboards.ts [--check]
 *
 * --check writes nothing and exits with 1 when a file differs.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Ajv } from 'ajv'
import { renderDashboard } from './dashboards/dashboard.ts'
import { DASHBOARDS } from './dashboards/dashboards.ts'
import { DASHBOARD_SCHEMA } from './dashboards/schema.ts'

const FOLDER = fileURLToPath(new URL('../config/grafana/', import.meta.url))
const { values: args } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const validate = new Ajv({ allowUnionTypes: true, allErrors: true }).compile(DASHBOARD_SCHEMA)
const problems: string[] = []
for (const spec of DASHBOARDS) {
  const dashboard = renderDashboard(spec)
  if (!validate(dashboard))
    for (const { instancePath, message } of validate.errors ?? []) problems.push(`${spec.name}${instancePath} ${message}`)
  const text = `${JSON.stringify(dashboard, null, 2)}\n`
  const path = join(FOLDER, `${spec.name}.json`)
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
  if (args.check) problems.push(`config/grafana/${spec.name}.json differs; run node --import=tsx scripts/gen-dashboards.ts`)
  else {
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(path, text)
  }
}
for (const problem of problems) console.error(problem)
console.log(`${DASHBOARDS.length} dashboards, ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1
