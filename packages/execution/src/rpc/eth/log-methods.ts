import type { ReadMethods } from '../limits/read-lanes.ts'
import { argument } from '../params.ts'
import type { ReadDependencies } from '../rpc-dependencies.ts'
import { parseLogQuery, queryLogs } from './log-query.ts'

export function logMethods({ chain, options }: Pick<ReadDependencies, 'chain' | 'options'>): Pick<ReadMethods, 'eth_getLogs'> {
  return {
    eth_getLogs(params, { signal }) {
      const query = argument(params, 0, (value) => parseLogQuery(value, options))
      return queryLogs(chain, query, options, signal)
    },
  }
}
