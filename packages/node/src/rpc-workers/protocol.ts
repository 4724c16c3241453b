/** What the main thread and an RPC worker say to each other. */
import type { ReadMethod, RpcOptions } from '@keelson/execution'

/** Given to a worker when it starts. */
export interface RpcWorkerData {
  /** Of the store that the main thread has open. */
  readonly storeDirectory: string
  /** Folder with rollup.json. */
  readonly network: string
  readonly allowSameChainId: boolean
  /** RLP of block 0. */
  readonly genesisHeader: Uint8Array
  readonly rpc: RpcOptions
  /** Larger answers are refused before they travel. */
  readonly maxAnswerBytes: number
  readonly slowCrypto: boolean
}

export type RpcWorkerRequest =
  | {
      readonly kind: 'run'
      readonly id: number
      readonly method: ReadMethod
      readonly params: readonly unknown[]
      /** Batches that the main thread had written; the answer must know them all. */
      readonly revision: number
    }
  | { readonly kind: 'cancel'; readonly id: number }

/** What a worker holds. */
export interface RpcWorkerUse {
  /** Snapshots of the store that are open. */
  readonly snapshots: number
  /** Records of state layers. */
  readonly layerBytes: number
}

export type RpcWorkerResponse =
  | { readonly kind: 'ready' }
  /** The snapshot is open; from now on the read's time counts. */
  | { readonly kind: 'began'; readonly id: number }
  /** `text` is JSON. */
  | { readonly kind: 'done'; readonly id: number; readonly use: RpcWorkerUse; readonly readMs: number; readonly text: string }
  | {
      readonly kind: 'failed'
      readonly id: number
      readonly use: RpcWorkerUse
      /** Thread time of the read in milliseconds, as in `done`. */
      readonly readMs: number
      readonly number: number
      readonly message: string
      readonly data: unknown
      /** For the log, when the failure is ours. */
      readonly inner: string | null
    }
