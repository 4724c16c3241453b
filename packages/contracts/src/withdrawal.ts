/** Withdrawals from L2ToL1MessagePasser. specs: protocol/withdrawals.md */
import { type Address, bytesToHex, type Hash, keccak256Hash, L2_TO_L1_MESSAGE_PASSER, type Log, toAddress } from '@keelson/primitives'
import { decodeParameters } from './abi/abi-decode.ts'
import { encodeParameters, eventTopic } from './abi/abi-encode.ts'
import { ContractError } from './contract-error.ts'

export const MESSAGE_PASSED_TOPIC: Hash = eventTopic('MessagePassed(uint256,address,address,uint256,uint256,bytes,bytes32)')

export interface Withdrawal {
  /** The highest two bytes hold the version. */
  readonly nonce: bigint
  readonly sender: Address
  readonly target: Address
  readonly valueWei: bigint
  readonly gasLimit: bigint
  readonly data: Uint8Array
}

/** Key in the message passer, proven on L1. */
export function withdrawalHash({ nonce, sender, target, valueWei, gasLimit, data }: Withdrawal): Hash {
  return keccak256Hash(encodeParameters('uint256,address,address,uint256,uint256,bytes', [nonce, sender, target, valueWei, gasLimit, data]))
}

/** Null for another event, another contract or a wrong hash. */
export function findWithdrawal(log: Log): Withdrawal | null {
  const [topic, nonce, sender, target] = log.topics
  if (log.address !== L2_TO_L1_MESSAGE_PASSER || topic !== MESSAGE_PASSED_TOPIC || !nonce || !sender || !target) return null
  try {
    const [valueWei, gasLimit, data, hash] = decodeParameters('uint256,uint256,bytes,bytes32', log.data) as [
      bigint,
      bigint,
      Uint8Array,
      Uint8Array,
    ]
    const withdrawal = { nonce: BigInt(nonce), sender: last20(sender), target: last20(target), valueWei, gasLimit, data }
    return withdrawalHash(withdrawal) === bytesToHex(hash) ? withdrawal : null
  } catch (error) {
    if (error instanceof ContractError) return null
    throw error
  }
}

function last20(topic: Hash): Address {
  return toAddress(`0x${topic.slice(26)}`)
}
