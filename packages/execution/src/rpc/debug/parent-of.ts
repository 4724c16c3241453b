import { type Hash, ZERO_HASH } from '@keelson/primitives'
import type { SealedHeader } from '../../chain/chain-reader.ts'
import { rpcError, serverError } from '../errors.ts'
import type { ReadDependencies } from '../rpc-dependencies.ts'

/** Throws `genesis is not traceable`, or `parent ... not found`. */
export function parentOf({ chain }: Pick<ReadDependencies, 'chain'>, hash: Hash): SealedHeader {
  const header = chain.header(hash)
  if (header === null) throw hash === ZERO_HASH ? rpcError('genesisNotTraceable') : serverError(`parent ${hash} not found`)
  return { hash, header }
}
