/** Typed clients of other nodes (L1, execution, consensus, beacon), signers, and the manager of L1 transactions. */

export * from './beacon/beacon-client.ts'
export { BLOB_BYTES, versionedHash } from './beacon/verify-blobs.ts'
export * from './client-error.ts'
export * from './l1/l1-caller.ts'
export * from './l1/l1-client.ts'
export * from './l2/engine-client.ts'
export * from './l2/l2-block-source.ts'
export * from './l2/rollup-client.ts'
export * from './rpc/http-rpc-client.ts'
export * from './rpc/rpc-client.ts'
export * from './signer.ts'
