/** The API of Otterscan, an explorer without an indexer of its own. */
import type { ReadMethod, ReadMethods } from '../limits/read-lanes.ts'
import type { ReadDependencies } from '../rpc-dependencies.ts'
import { accountMethods } from './account-methods.ts'
import { blockDetailMethods } from './block-details.ts'
import { operationMethods } from './operation-methods.ts'
import { searchMethods } from './search-methods.ts'

export function otterscanMethods(deps: ReadDependencies): Pick<ReadMethods, Extract<ReadMethod, `ots_${string}`>> {
  return { ...accountMethods(deps), ...blockDetailMethods(deps), ...operationMethods(deps), ...searchMethods(deps) }
}
