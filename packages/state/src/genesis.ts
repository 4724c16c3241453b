/** Genesis: the state an alloc describes, worked out without a store. */
import type { GenesisAccount, GenesisState } from './state-store.ts'

/** Storage roots and state root of an alloc, in one pass over its accounts. */
export declare function computeGenesisState(alloc: Iterable<GenesisAccount>): GenesisState
