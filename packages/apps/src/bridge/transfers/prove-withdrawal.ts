import { createL2BlockSource, getAccountProof } from '@keelson/client'
import { encodeFinalizeWithdrawal, encodeProveWithdrawal, type Withdrawal, withdrawalHash, withdrawalSlot } from '@keelson/contracts'
import { L2_TO_L1_MESSAGE_PASSER, outputRootV0 } from '@keelson/primitives'
import { BridgeError } from './bridge-error.ts'
import type { BridgeContracts, ChainReader } from './chains.ts'
import type { PlannedTransaction } from './plan-deposit.ts'
import type { WithdrawalProgress } from './withdrawal-progress.ts'

/** Throws BridgeError `apps/bridge-mismatch` when L1 and this node disagree. */
export async function planProof(
  l2: ChainReader,
  contracts: BridgeContracts,
  withdrawal: Withdrawal,
  output: NonNullable<WithdrawalProgress['output']>,
): Promise<PlannedTransaction> {
  const envelope = await createL2BlockSource(l2.rpc).payload(output.l2Block)
  if (envelope === null) {
    throw new BridgeError(
      'apps/bridge-mismatch',
      `${l2.rpc.host} does not have L2 block ${output.l2Block} yet, which the output on L1 is for; wait for it to catch up`,
    )
  }
  const { stateRoot, blockHash } = envelope.payload
  const slot = withdrawalSlot(withdrawalHash(withdrawal))
  const proof = await getAccountProof(l2.rpc, L2_TO_L1_MESSAGE_PASSER, [slot], output.l2Block)
  const messagePasserStorageRoot = proof.storageRoot
  const root = outputRootV0(stateRoot, messagePasserStorageRoot, blockHash)
  const [entry] = proof.storage
  if (root !== output.outputRoot) {
    throw new BridgeError(
      'apps/bridge-mismatch',
      `output ${output.index} on L1 is ${output.outputRoot} for L2 block ${output.l2Block}, but ${l2.rpc.host} has ${root}: the proposer or this ` +
        'node is wrong; only the challenger can delete a wrong output',
      { l2Block: output.l2Block },
    )
  }
  if (entry?.value !== 1n) {
    throw new BridgeError(
      'apps/bridge-mismatch',
      `${l2.rpc.host} has no such withdrawal after block ${output.l2Block}: L2 has reorganized since`,
    )
  }
  return {
    purpose: 'proof',
    to: contracts.portal,
    data: encodeProveWithdrawal(withdrawal, {
      outputIndex: output.index,
      output: { stateRoot, messagePasserStorageRoot, blockHash },
      nodes: entry.nodes,
    }),
    valueWei: 0n,
  }
}

export function planFinalization(contracts: BridgeContracts, withdrawal: Withdrawal): PlannedTransaction {
  return { purpose: 'finalization', to: contracts.portal, data: encodeFinalizeWithdrawal(withdrawal), valueWei: 0n }
}
