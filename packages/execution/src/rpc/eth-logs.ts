/** eth_getLogs: the logs of a range of canonical blocks, or of one block by hash. */
import type { RpcMethods } from '@keelson/runtime'
import { parseLogQuery, queryLogs } from './log-query.ts'
import { argument } from './params.ts'
import type { RpcDependencies } from './rpc-dependencies.ts'

export function logMethods({ chain, options }: Pick<RpcDependencies, 'chain' | 'options'>): RpcMethods {
  return {
    eth_getLogs(params, { signal }) {
      const query = argument(params, 0, (value) => parseLogQuery(value, options))
      return queryLogs(chain, query, options, signal)
    },
  }
}
