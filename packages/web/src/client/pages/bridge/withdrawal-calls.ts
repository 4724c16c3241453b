/** The two transactions on L1 that end a withdrawal. specs: protocol/withdrawals.md */
import { decodeUint } from '@keelson/contracts/abi'
import {
  decodeL2Output,
  encodeFinalizeWithdrawal,
  encodeGetL2Output,
  encodeGetL2OutputIndexAfter,
  encodeProveWithdrawal,
  findWithdrawal,
  type Withdrawal,
  withdrawalHash,
  withdrawalSlot,
} from '@keelson/contracts/bridge'
import { bytesToHex, hexToBytes, L2_TO_L1_MESSAGE_PASSER, outputRootV0, parseLogJson, toHash } from '@keelson/primitives'
import { rpc, rpcOn } from '../../data/rpc.ts'
import { toQuantity } from '../../format/hex.ts'

interface ReceiptJson {
  readonly blockNumber: string
  readonly logs: readonly unknown[]
}

interface ProofJson {
  readonly storageHash: string
  readonly storageProof: readonly { readonly value: string; readonly proof: readonly string[] }[]
}

/** Throws Error if the transaction has no such withdrawal. */
async function readWithdrawal(l2Transaction: string, hash: string): Promise<{ readonly withdrawal: Withdrawal; readonly block: number }> {
  const receipt = await rpc<ReceiptJson | null>('eth_getTransactionReceipt', [l2Transaction])
  const all = (receipt?.logs ?? []).map((log) => findWithdrawal(parseLogJson(log)))
  const withdrawal = all.find((one) => one !== null && withdrawalHash(one) === hash)
  if (receipt === null || withdrawal == null) throw new Error('the node does not have this withdrawal')
  return { withdrawal, block: Number(receipt.blockNumber) }
}

/** Call data for the portal. Throws Error if L1 and the node disagree about L2, in which case the proof would be refused. */
export async function proveCall(l2Transaction: string, hash: string, outputOracle: string): Promise<string> {
  const { withdrawal, block } = await readWithdrawal(l2Transaction, hash)
  const ask = async (data: Uint8Array) =>
    hexToBytes(await rpcOn<string>('l1', 'eth_call', [{ to: outputOracle, data: bytesToHex(data) }, 'latest']))
  const outputIndex = decodeUint(await ask(encodeGetL2OutputIndexAfter(BigInt(block))))
  const output = decodeL2Output(await ask(encodeGetL2Output(outputIndex)))
  const at = toQuantity(output.l2BlockNumber)
  const slot = withdrawalSlot(toHash(hash))
  const [header, proof] = await Promise.all([
    rpc<{ readonly stateRoot: string; readonly hash: string } | null>('eth_getBlockByNumber', [at, false]),
    rpc<ProofJson>('eth_getProof', [L2_TO_L1_MESSAGE_PASSER, [slot], at]),
  ])
  if (header === null) throw new Error(`the node does not have L2 block ${output.l2BlockNumber} yet, which the output on L1 is for`)
  const proven = {
    stateRoot: toHash(header.stateRoot),
    messagePasserStorageRoot: toHash(proof.storageHash),
    blockHash: toHash(header.hash),
  }
  if (outputRootV0(proven.stateRoot, proven.messagePasserStorageRoot, proven.blockHash) !== output.outputRoot)
    throw new Error(`output ${outputIndex} on L1 is not what the node has for L2 block ${output.l2BlockNumber}; tell the operator`)
  const [entry] = proof.storageProof
  if (entry === undefined || BigInt(entry.value) !== 1n) throw new Error('the node has no such withdrawal after that block')
  return bytesToHex(encodeProveWithdrawal(withdrawal, { outputIndex, output: proven, nodes: entry.proof.map((node) => hexToBytes(node)) }))
}

/** Call data for the portal. */
export async function finalizeCall(l2Transaction: string, hash: string): Promise<string> {
  return bytesToHex(encodeFinalizeWithdrawal((await readWithdrawal(l2Transaction, hash)).withdrawal))
}
