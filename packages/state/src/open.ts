/** Opens the state store over a key-value store and recovers the layers. */
import type { KeyValueStore } from './ports.ts'
import type { StateStore, StateStoreOptions } from './state-store.ts'

/** Recovers the layers written by batch A; no block is executed again. Throws `state/corrupt-record`. */
export declare function openStateStore(store: KeyValueStore, options?: Partial<StateStoreOptions>): Promise<StateStore>
