/** JSON-RPC of the simulated L1, with geth's errors. */
import { blobBaseFeeWei } from '@keelson/chainspec'
import { type Address, bytesToHex, formatQuantity, type Hash, hexToBytes, TX_FEE_MARKET, ZERO_ADDRESS } from '@keelson/primitives'
import { RpcError, type RpcMethods } from '@keelson/runtime'
import { decodeNetworkForm } from './l1-blobs.ts'
import type { L1Block } from './l1-block.ts'
import { L1_RULES } from './l1-engine.ts'
import { blockJson, knownTransactionJson, receiptJson } from './l1-json.ts'
import { type LogFilter, logsJsonOf } from './l1-logs.ts'
import { accountOf } from './l1-state.ts'
import type { SimulatedL1 } from './simulated-l1.ts'

interface Call {
  readonly from?: Address
  readonly to: Address | null
  readonly data?: `0x${string}`
  readonly input?: `0x${string}`
  readonly value?: `0x${string}`
}

const TIP_WEI = 10n ** 9n
const REVERTED = 3
const SERVER_ERROR = -32000
const CALL_GAS = 30_000_000n

/** L1 as one of its nodes knows it. */
export type L1Reader = Pick<SimulatedL1, 'options' | 'pool' | 'engine' | 'head' | 'senderOf' | 'submit' | 'block' | 'find'>

export function createL1Methods(l1: L1Reader): RpcMethods {
  const at = (tag: unknown) =>
    l1.block(typeof tag === 'string' && tag.startsWith('0x') && tag.length < 66 ? Number(tag) : (tag as 'latest'))
  const known = (tag: unknown): L1Block => {
    const block = at(tag === 'pending' ? 'latest' : tag)
    if (block === null) throw new RpcError(SERVER_ERROR, 'header not found')
    return block
  }
  const show = (tag: unknown, full: unknown) => {
    const block = at(tag)
    return block === null ? null : blockJson(block, full === true, l1.senderOf)
  }
  return {
    eth_chainId: () => formatQuantity(l1.options.chainId),
    eth_blockNumber: () => formatQuantity(l1.head.header.number),
    eth_getBlockByNumber: ([tag, full]) => show(tag, full),
    eth_getBlockByHash: ([hash, full]) => show(hash, full),
    eth_getBlockReceipts: ([hash]) => {
      const block = at(hash)
      return block === null ? null : block.transactions.map((_, index) => receiptJson(block, index, l1.senderOf))
    },
    eth_getTransactionReceipt: ([hash]) => {
      const found = l1.find(hash as Hash)
      return found === null ? null : receiptJson(found.block, found.index, l1.senderOf)
    },
    eth_getTransactionByHash: ([hash]) => {
      const found = l1.find(hash as Hash)
      const tx = found?.block.transactions[found.index] ?? l1.pool.find(hash as Hash)
      return tx === null ? null : knownTransactionJson(tx, l1.senderOf(tx), found)
    },
    eth_getLogs: ([filter]) => logsJsonOf(filter as LogFilter, (number) => l1.block(number), l1.senderOf),
    eth_getTransactionCount: ([address, tag]) => {
      const { state } = known(tag)
      return formatQuantity(
        tag === 'pending' ? l1.pool.pendingNonce(state, address as Address) : accountOf(state, address as Address).nonce,
      )
    },
    eth_getBalance: ([address, tag]) => formatQuantity(accountOf(known(tag).state, address as Address).balanceWei),
    eth_maxPriorityFeePerGas: () => formatQuantity(TIP_WEI),
    eth_blobBaseFee: () => formatQuantity(blobBaseFeeWei(l1.head.header.excessBlobGas ?? 0n, L1_RULES.blobParameters)),
    eth_call: ([call, tag]) => {
      const result = l1.engine.call(known(tag), callOf(call as Call))
      if (result.kind === 'rejected') throw new RpcError(SERVER_ERROR, result.message)
      if (result.status !== 'success') throw new RpcError(REVERTED, 'execution reverted', bytesToHex(result.output))
      return bytesToHex(result.output)
    },
    eth_estimateGas: ([call]) => {
      const estimate = l1.engine.estimateGas(l1.head, callOf(call as Call))
      if (estimate.kind === 'rejected') throw new RpcError(SERVER_ERROR, estimate.message)
      if (estimate.kind === 'reverted') throw new RpcError(REVERTED, 'execution reverted', bytesToHex(estimate.output))
      if (estimate.kind === 'halted') throw new RpcError(SERVER_ERROR, estimate.cause ?? 'gas required exceeds allowance')
      return formatQuantity(estimate.gas)
    },
    eth_sendRawTransaction: ([raw]) => {
      const form = decodeNetworkForm(hexToBytes(raw as `0x${string}`))
      l1.submit(form)
      return form.tx.hash
    },
  }

  function callOf({ from, to, data, input, value }: Call) {
    const tx = {
      type: TX_FEE_MARKET,
      chainId: l1.options.chainId,
      nonce: 0n,
      gasLimit: CALL_GAS,
      maxFeePerGasWei: 0n,
      maxPriorityFeePerGasWei: 0n,
      to: to === null ? null : hexToBytes(to),
      valueWei: BigInt(value ?? 0),
      data: hexToBytes(input ?? data ?? '0x'),
      accessList: [],
    } as const
    return { from: hexToBytes(from ?? ZERO_ADDRESS), tx }
  }
}
