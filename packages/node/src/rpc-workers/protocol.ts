import type { ReadMethod, RpcOptions } from '@keelson/execution'
import type { CompilerPort } from '../compile/protocol.ts'
import type { EvmName } from '../evm/open-engine.ts'

export interface RpcWorkerPace {
  readonly niceness: number
  /** Processor time after which a read ends as `long`. */
  readonly maxReadMs: number | null
}

export interface RpcWorkerData {
  readonly storeDirectory: string
  readonly network: string
  readonly allowSameChainId: boolean
  /** Newer than those of the network's files. */
  readonly forkTimes: Readonly<Record<string, number>>
  readonly genesisHeader: Uint8Array
  readonly rpc: RpcOptions
  readonly maxAnswerBytes: number
  readonly slowCrypto: boolean
  readonly evm: EvmName
}

export type PacedWorkerData = RpcWorkerData & { readonly pace: RpcWorkerPace }

export type RpcWorkerRequest =
  | {
      readonly kind: 'run'
      readonly id: number
      readonly method: ReadMethod
      readonly params: readonly unknown[]
      readonly revision: number
    }
  | { readonly kind: 'cancel'; readonly id: number }
  | CompilerPort

export interface RpcWorkerUse {
  readonly snapshots: number
  readonly layerBytes: number
}

export type RpcWorkerResponse =
  /** `thread` is the kernel ID, or null if unknown. */
  | { readonly kind: 'ready'; readonly thread: number | null }
  /** The read's time starts. */
  | { readonly kind: 'began'; readonly id: number }
  | { readonly kind: 'done'; readonly id: number; readonly use: RpcWorkerUse; readonly readMs: number; readonly text: string }
  | { readonly kind: 'long'; readonly id: number; readonly use: RpcWorkerUse; readonly readMs: number }
  | {
      readonly kind: 'failed'
      readonly id: number
      readonly use: RpcWorkerUse
      readonly readMs: number
      readonly number: number
      readonly message: string
      readonly data: unknown
      readonly inner: string | null
    }
