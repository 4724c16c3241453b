import type { KeyValueStore } from '@keelson/runtime'

/** Where the faucet keeps its records. A batch is atomic, and durable when its promise resolves if it is `sync`. */
export type FaucetStore = Pick<KeyValueStore, 'range' | 'batch' | 'close'>
