/** State: Merkle Patricia trie, flat tables, diff layers and history on a key-value store. Pure. */
export * from './errors.ts'
export * from './genesis.ts'
export * from './memory-store.ts'
export * from './open.ts'
export * from './ports.ts'
export * from './state-store.ts'
export * from './witness.ts'
