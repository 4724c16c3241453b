import { RpcResponseError } from '../../packages/client/src/client-error.ts'
import { createFakeRpc, type FakeMethods, type FakeRpc } from '../../packages/client/src/fake-rpc.test-support.ts'
import { blockJson, receiptJson } from '../../packages/client/src/sample-block.test-support.ts'
import type { FakeL1 } from './fake-l1.ts'

export type AnswerChange = (method: string, params: readonly unknown[], answer: unknown) => unknown

export interface L1Rpc {
  readonly rpc: FakeRpc
  show(at: string, full: boolean): Promise<Record<string, unknown> | null>
  change: AnswerChange | null
}

export function methodNotFound(method: string): RpcResponseError {
  return new RpcResponseError('critical', method, -32601, `the method ${method} does not exist/is not available`, undefined)
}

export function createL1Rpc(l1: FakeL1, host = 'l1.example'): L1Rpc {
  const show = async (at: string, full: boolean) => {
    const ref = at.startsWith('0x') && at.length < 66 ? await l1.reader.blockRef(Number(at)) : await l1.reader.blockRef(at as 'latest')
    const block = ref === null ? null : l1.block(ref.hash)
    if (block === null) return null
    return blockJson({ hash: block.ref.hash, header: block.header, transactions: block.transactions, withdrawals: [] }, full)
  }
  const methods: Record<string, (...params: never[]) => unknown> = {
    eth_chainId: () => `0x${l1.chain.chainId.toString(16)}`,
    eth_getBlockByHash: show,
    eth_getBlockByNumber: show,
    eth_getBlockReceipts: (hash: `0x${string}`) => l1.block(hash as never)?.receipts.map((receipt) => receiptJson(receipt)) ?? null,
    eth_getTransactionReceipt(hash: string) {
      for (let number = 0; number <= l1.head.number; number++) {
        const block = l1.block(number)
        const index = block?.transactions.findIndex((tx) => tx.hash === hash) ?? -1
        const receipt = block?.receipts[index]
        if (receipt !== undefined) return receiptJson(receipt)
      }
      return null
    },
  }
  const changed: FakeMethods = Object.fromEntries(
    Object.entries(methods).map(([method, answer]) => [
      method,
      async (...params: never[]) => {
        const real = await answer(...params)
        return l1Rpc.change === null ? real : l1Rpc.change(method, params, real)
      },
    ]),
  )
  const l1Rpc: L1Rpc = { rpc: Object.assign(createFakeRpc(changed), { host }), show, change: null }
  return l1Rpc
}
