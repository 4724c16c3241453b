/**
 * What a deposit is, told from its L1 log alone: the hash it will have on L2, who gets how much of what. Deposits of the
 * standard bridge are messages of the messengers, read from inside out. protocol/deposits.md, protocol/bridges.md
 */
import { ContractError, decodeParameters, encodeCall } from '@keelson/contracts'
import { decodeDepositLog } from '@keelson/derivation/codec'
import {
  type Address,
  bytesToHex,
  type Hash,
  keccak256Hash,
  L2_CROSS_DOMAIN_MESSENGER,
  L2_STANDARD_BRIDGE,
  toAddress,
} from '@keelson/primitives'
import type { LocatedLog } from './ports.ts'

export type DepositKind = 'native' | 'erc20' | 'message'

/** Amounts are decimal text in the smallest unit, as they are given out. */
export interface DepositFacts {
  readonly logIndex: number
  readonly sourceHash: Hash
  readonly l2TxHash: Hash
  readonly kind: DepositKind
  /** Who sent it on L1, as far as the deposit tells: the bridge's user, or the caller of the portal under its L2 address. */
  readonly sender: Address
  /** Who gets the amount or the call; null when a contract is made. */
  readonly recipient: Address | null
  readonly amount: string
  /** Of an ERC-20. */
  readonly token: { readonly l1: Address; readonly l2: Address } | null
  readonly mintWei: string
  readonly gasLimit: string
  /** The messenger's name of the message; null for a deposit made at the portal itself. */
  readonly messageHash: Hash | null
}

const RELAY_MESSAGE_ARGUMENTS = 'uint256,address,address,uint256,uint256,bytes'
const BRIDGE_ETH_ARGUMENTS = 'address,address,uint256,bytes'
const BRIDGE_ERC20_ARGUMENTS = 'address,address,address,address,uint256,bytes'
const ALIAS_OFFSET = 0x1111000000000000000000000000000000001111n
const ADDRESS_MASK = (1n << 160n) - 1n

const selectorOf = (signature: string, example: Parameters<typeof encodeCall>[1]) =>
  bytesToHex(encodeCall(signature, example).subarray(0, 4))
const NOBODY = `0x${'00'.repeat(20)}`
const RELAY_MESSAGE = selectorOf(`relayMessage(${RELAY_MESSAGE_ARGUMENTS})`, [0n, NOBODY, NOBODY, 0n, 0n, '0x'])
const FINALIZE_BRIDGE_ETH = selectorOf(`finalizeBridgeETH(${BRIDGE_ETH_ARGUMENTS})`, [NOBODY, NOBODY, 0n, '0x'])
const FINALIZE_BRIDGE_ERC20 = selectorOf(`finalizeBridgeERC20(${BRIDGE_ERC20_ARGUMENTS})`, [NOBODY, NOBODY, NOBODY, NOBODY, 0n, '0x'])

/** The address a contract of L1 has as a sender on L2. protocol/deposits.md#address-aliasing */
export function aliasOf(address: Address): Address {
  return toAddress(`0x${((BigInt(address) + ALIAS_OFFSET) & ADDRESS_MASK).toString(16).padStart(40, '0')}`)
}

/** `messenger` is the L1 messenger; null believes whatever calls the L2 one. Throws CodecError `codec/deposit-log`. */
export function depositFacts({ log, logIndex, block }: LocatedLog, messenger: Address | null): DepositFacts {
  const deposit = decodeDepositLog(log, block.hash, logIndex)
  const from = toAddress(deposit.from)
  const to = deposit.to === null ? null : toAddress(deposit.to)
  const base = {
    logIndex,
    sourceHash: bytesToHex(deposit.sourceHash) as Hash,
    l2TxHash: deposit.hash,
    mintWei: deposit.mintWei.toString(),
    gasLimit: deposit.gasLimit.toString(),
  }
  const isMessenger = to === L2_CROSS_DOMAIN_MESSENGER && (messenger === null || from === aliasOf(messenger))
  const message = isMessenger ? findMessage(deposit.data) : null
  if (message !== null) return { ...base, ...message, messageHash: keccak256Hash(deposit.data) }
  return {
    ...base,
    kind: deposit.data.length === 0 && to !== null ? 'native' : 'message',
    sender: from,
    recipient: to,
    amount: deposit.valueWei.toString(),
    token: null,
    messageHash: null,
  }
}

type MessageFacts = Pick<DepositFacts, 'kind' | 'sender' | 'recipient' | 'amount' | 'token'>

/** Null when it is no call of relayMessage. */
function findMessage(data: Uint8Array): MessageFacts | null {
  const relayed = findArguments(data, RELAY_MESSAGE, RELAY_MESSAGE_ARGUMENTS)
  if (relayed === null) return null
  const [, sender, target, value, , inner] = relayed as [bigint, Address, Address, bigint, bigint, Uint8Array]
  return (
    (target === L2_STANDARD_BRIDGE ? findBridged(inner) : null) ?? {
      kind: inner.length === 0 ? 'native' : 'message',
      sender,
      recipient: target,
      amount: value.toString(),
      token: null,
    }
  )
}

function findBridged(call: Uint8Array): MessageFacts | null {
  const eth = findArguments(call, FINALIZE_BRIDGE_ETH, BRIDGE_ETH_ARGUMENTS)
  if (eth !== null) {
    const [sender, recipient, amount] = eth as [Address, Address, bigint]
    return { kind: 'native', sender, recipient, amount: amount.toString(), token: null }
  }
  const erc20 = findArguments(call, FINALIZE_BRIDGE_ERC20, BRIDGE_ERC20_ARGUMENTS)
  if (erc20 === null) return null
  const [l2, l1, sender, recipient, amount] = erc20 as [Address, Address, Address, Address, bigint]
  return { kind: 'erc20', sender, recipient, amount: amount.toString(), token: { l1, l2 } }
}

function findArguments(call: Uint8Array, selector: string, types: string): readonly unknown[] | null {
  if (bytesToHex(call.subarray(0, 4)) !== selector) return null
  try {
    return decodeParameters(types, call.subarray(4))
  } catch (error) {
    if (error instanceof ContractError) return null
    throw error
  }
}
