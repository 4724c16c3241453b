/** eth_getLogs. */

import { argument } from '../params.ts'
import type { ReadMethods } from '../read-methods.ts'
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
