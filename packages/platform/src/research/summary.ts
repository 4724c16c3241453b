import type { DefidataResult, PoolsResult, TokenPriceResult, TvlResult } from '../schemas/defidata.ts'
import type { AnalyticsRun } from './analytics.ts'
import type { Findings } from './research.ts'
import type { SubgraphAnswer } from './subgraph.ts'

const MAX_NAMES = 12
const MAX_TEXT = 64
const MAX_DETAIL = 300
const NOTHING_ASKED = 'Nothing was asked: give gql, analytics_query_id, defi_calls, tvl_chain, price_symbol, pools_chain or pools_limit.'

export function summarize({ subgraph, analytics, defi, errors }: Findings): string {
  const sentences = [
    ...(subgraph === null ? [] : [aboutGraph(subgraph)]),
    ...(analytics === null ? [] : [aboutAnalytics(analytics)]),
    ...defi.map(aboutDefi),
    ...errors.map(
      ({ source, reason, detail }) => `Not answered, or not in full: ${clean(source)} (${reason}): ${clean(detail, MAX_DETAIL)}.`,
    ),
  ]
  return sentences.length === 0 ? NOTHING_ASKED : sentences.join('\n')
}

function aboutGraph({ label, data }: SubgraphAnswer): string {
  const fields = Object.entries(data ?? {})
  const shown = fields.slice(0, MAX_NAMES).map(([name, value]) => `${clean(name)} (${extentOf(value)})`)
  return `The ${label} answered ${listed(shown, fields.length)}.`
}

function extentOf(value: unknown): string {
  if (Array.isArray(value)) return count(value.length, 'entry', 'entries')
  if (value === null) return 'null'
  if (typeof value === 'object') return count(Object.keys(value).length, 'field', 'fields')
  return clean(String(value))
}

function aboutAnalytics({ label, queryId, state, rows, totalRows }: AnalyticsRun): string {
  if (rows === null) return `Query ${queryId} of ${label} is ${state}, without rows.`
  const columns = Object.keys(rows[0] ?? {})
  const of =
    columns.length === 0
      ? ''
      : ` of ${listed(
          columns.slice(0, MAX_NAMES).map((column) => clean(column)),
          columns.length,
        )}`
  const total = totalRows !== null && totalRows > rows.length ? ` (${totalRows} in all)` : ''
  return `Query ${queryId} of ${label} is ${state}: ${count(rows.length, 'row', 'rows')}${total}${of}.`
}

function aboutDefi({ tool, result }: DefidataResult): string {
  switch (tool) {
    case 'tvl_get': {
      const { chain, protocol, tvl_usd, complete, as_of, source } = result as TvlResult
      const where = protocol === null ? clean(chain) : `${clean(protocol)} on ${clean(chain)}`
      const left = complete ? '' : ', pools without a price left out'
      return `Value locked in ${where}: ${tvl_usd} USD${left}${at(as_of)}, from ${source}.`
    }
    case 'token_price': {
      const { symbol, chain, price_usd, as_of, source } = result as TokenPriceResult
      return `Price of ${clean(symbol)} on ${clean(chain)}: ${price_usd} USD${at(as_of)}, from ${source}.`
    }
    case 'pools_list': {
      const { chain, pools, source } = result as PoolsResult
      const [first] = pools
      const largest = first === undefined || first.tvl_usd === null ? '' : `, the largest ${clean(first.symbol)} with ${first.tvl_usd} USD`
      return `Pools of ${clean(chain)}: ${pools.length}${largest}, from ${source}.`
    }
  }
}

function at(time: string | null): string {
  return time === null ? '' : ` at ${time}`
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}

function listed(names: readonly string[], all: number): string {
  if (names.length === 0) return 'nothing'
  return names.join(', ') + (all > names.length ? ` and ${all - names.length} more` : '')
}

function clean(text: string, max = MAX_TEXT): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return line.length > max ? `${line.slice(0, max)}…` : line
}
