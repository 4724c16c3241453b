/**
 * Anyone can put any bytes into a deposit, so it counts as a transfer only when the L1 messenger sent it for the L1 bridge and it
 * mints the amount. specs: protocol/deposits.md, protocol/bridges.md
 */
import { ContractError, decodeParameters, encodeCall } from '@keelson/contracts'
import { decodeDepositLog } from '@keelson/derivation/codec'
import {
  type Address,
  bytesToHex,
  type DepositTransaction,
  type Hash,
  keccak256Hash,
  L2_CROSS_DOMAIN_MESSENGER,
  L2_STANDARD_BRIDGE,
  toAddress,
} from '@keelson/primitives'
import type { LocatedLog } from './ports.ts'

export type DepositKind = 'native' | 'erc20' | 'message'

export interface DepositFacts {
  readonly logIndex: number
  readonly sourceHash: Hash
  readonly l2TxHash: Hash
  readonly kind: DepositKind
  readonly sender: Address
  readonly recipient: Address | null
  /** At most the minted value; the sender must hold the rest on L2. */
  readonly amount: string
  readonly token: { readonly l1: Address; readonly l2: Address } | null
  readonly mintWei: string
  readonly gasLimit: string
  readonly messageHash: Hash | null
}

export interface BridgeSenders {
  readonly messenger: Address | null
  readonly standardBridge: Address | null
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

/** specs: protocol/deposits.md#address-aliasing */
export function aliasOf(address: Address): Address {
  return toAddress(`0x${((BigInt(address) + ALIAS_OFFSET) & ADDRESS_MASK).toString(16).padStart(40, '0')}`)
}

/** Throws CodecError `codec/deposit-log`. */
export function depositFacts({ log, logIndex, block }: LocatedLog, senders: BridgeSenders): DepositFacts {
  return factsOfDeposit(decodeDepositLog(log, block.hash, logIndex), logIndex, senders)
}

/** `logIndex` is the place of its log in the L1 block. */
export function factsOfDeposit(deposit: DepositTransaction, logIndex: number, senders: BridgeSenders): DepositFacts {
  const from = toAddress(deposit.from)
  const to = deposit.to === null ? null : toAddress(deposit.to)
  const { mintWei, valueWei, data } = deposit
  const base = {
    logIndex,
    sourceHash: bytesToHex(deposit.sourceHash) as Hash,
    l2TxHash: deposit.hash,
    mintWei: mintWei.toString(),
    gasLimit: deposit.gasLimit.toString(),
  }
  const { messenger } = senders
  const message = to === L2_CROSS_DOMAIN_MESSENGER ? findMessage(data) : null
  const isOfMessenger = messenger !== null && from === aliasOf(messenger)
  const messageHash = message !== null && (isOfMessenger || messenger === null) ? keccak256Hash(data) : null
  if (message !== null && isOfMessenger && message.valueWei === valueWei && valueWei === mintWei) {
    return { ...base, ...transferOf(message, senders), messageHash }
  }
  return {
    ...base,
    kind: data.length === 0 && to !== null && valueWei <= mintWei ? 'native' : 'message',
    sender: from,
    recipient: to,
    amount: (valueWei <= mintWei ? valueWei : mintWei).toString(),
    token: null,
    messageHash,
  }
}

interface RelayedMessage {
  readonly sender: Address
  readonly target: Address
  readonly valueWei: bigint
  readonly call: Uint8Array
}

type TransferFacts = Pick<DepositFacts, 'kind' | 'sender' | 'recipient' | 'amount' | 'token'>

function findMessage(data: Uint8Array): RelayedMessage | null {
  const found = findArguments(data, RELAY_MESSAGE, RELAY_MESSAGE_ARGUMENTS)
  if (found === null) return null
  const [, sender, target, valueWei, , call] = found as [bigint, Address, Address, bigint, bigint, Uint8Array]
  return { sender, target, valueWei, call }
}

function transferOf(message: RelayedMessage, { standardBridge }: BridgeSenders): TransferFacts {
  const { sender, target, valueWei, call } = message
  const isOfBridge = standardBridge !== null && sender === standardBridge && target === L2_STANDARD_BRIDGE
  return (
    (isOfBridge ? findBridged(call, valueWei) : null) ?? {
      kind: call.length === 0 ? 'native' : 'message',
      sender,
      recipient: target,
      amount: valueWei.toString(),
      token: null,
    }
  )
}

function findBridged(call: Uint8Array, valueWei: bigint): TransferFacts | null {
  const eth = findArguments(call, FINALIZE_BRIDGE_ETH, BRIDGE_ETH_ARGUMENTS)
  if (eth !== null) {
    const [sender, recipient, amount] = eth as [Address, Address, bigint]
    return amount === valueWei ? { kind: 'native', sender, recipient, amount: amount.toString(), token: null } : null
  }
  const erc20 = findArguments(call, FINALIZE_BRIDGE_ERC20, BRIDGE_ERC20_ARGUMENTS)
  if (erc20 === null || valueWei !== 0n) return null
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
