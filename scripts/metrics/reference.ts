/** The page that lists all metrics. */
import type { MetricDefinition } from './definitions.ts'
import { CLIENTS } from './owners.ts'

/** By suffix of the name; the first that matches counts. */
const UNITS: readonly (readonly [suffix: RegExp, unit: string])[] = [
  [/_(seconds|time)(_total)?$/, 'seconds'],
  [/_bytes(_total)?$/, 'bytes'],
  [/_blocks(_total)?$/, 'blocks'],
  [/_epochs$/, 'epochs'],
  [/_gwei(_total)?$/, 'gwei'],
  [/_wei$/, 'wei'],
  [/_tokens(_total)?$/, 'tokens'],
  [/_ratio$|_fullness$|_intensity$/, '0 to 1'],
  [/_days_left$/, 'days'],
  [/_(block|l1_block|l2_block|number)$/, 'block number'],
  [/_per_hour$/, '1/hour'],
  [/(^|_)gas_total$/, 'gas'],
]

const INTRODUCTION = `# Metrics

Generated from the definitions by \`scripts/gen-metrics.ts\`; \`npm run check\` compares. A histogram also has the series
\`_bucket\`, \`_sum\` and \`_count\`. Without a unit, a metric is a count, or 0 or 1. Metrics with labels begin with the first event,
and those of features that are off do not exist. Every client has the metrics of its process (\`process_*\`, \`nodejs_*\`) too.
`

export function renderReference(definitions: readonly MetricDefinition[], degraded: readonly string[]): string {
  const sections = CLIENTS.map((client) => {
    const rows = definitions
      .filter((definition) => definition.client === client)
      .map(({ name, kind, labels, help }) => `| \`${name}\` | ${kind} | ${labels.join(', ')} | ${unitOf(name, help)} | ${sentence(help)} |`)
    return `## ${client}\n\n| metric | type | labels | unit | meaning |\n| --- | --- | --- | --- | --- |\n${rows.join('\n')}\n`
  })
  const states = `## Degraded states

\`keelson_consensus_degraded\` is 1 for each state that the consensus client is in; \`/readyz\` and \`keelson status\` say why and what
to do. The states: ${degraded.map((name) => `\`${name}\``).join(', ')}. \`ready_check\` is 0 for each failing check of \`/readyz\` of any client.
`
  return [INTRODUCTION, ...sections, states].join('\n')
}

function unitOf(name: string, help: string): string {
  if (/^(Unix time|timestamp)/.test(help)) return 'Unix seconds'
  if (/^[01] (while|when)/.test(help)) return ''
  return UNITS.find(([suffix]) => suffix.test(name))?.[1] ?? ''
}

function sentence(help: string): string {
  return `${help.charAt(0).toUpperCase()}${help.slice(1)}`.replaceAll('|', '\\|')
}
