import { BridgeError, readDepositProgress, readWithdrawalProgress } from '@keelson/apps/bridge'
import { defineCommand } from '../../command.ts'
import { assertOneHash } from './lead-withdrawal.ts'
import { createNarrator } from './narrator.ts'
import { openNetwork } from './open-network.ts'
import { chainOptions } from './transfer-options.ts'

const EXIT_FAILED = 1

export const statusCommand = defineCommand({
  name: 'bridge status',
  summary: 'how far a deposit or a withdrawal is, and what is to be done',
  usage: 'HASH [options]',
  explanation: `HASH is the L1 transaction of a deposit, or the L2 transaction that began a withdrawal. Both nodes are asked; no key and
no status service is needed. Ends with code 1 for one that failed.`,
  options: chainOptions,
  takesArguments: true,
  checkArguments: (positional) => void assertOneHash('status', positional),
  async run(values, { positional }) {
    const hash = assertOneHash('status', positional)
    const { l1, l2, contracts } = await openNetwork(values)
    const narrator = createNarrator(values.json)
    const deposits = await readDepositProgress(l1, l2, contracts, hash)
    if (deposits !== null) {
      for (const { state, text, l2TxHash, reason } of deposits) {
        narrator.say(state, `deposit${l2TxHash === null ? '' : ` ${l2TxHash} on L2`}: ${text}`)
        if (reason !== null) narrator.say(reason.code, reason.text)
      }
      narrator.end({ kind: 'deposit', l1TxHash: hash, deposits })
      return deposits.some(({ state }) => state === 'failed') ? EXIT_FAILED : 0
    }
    const withdrawals = await readWithdrawalProgress(l1, l2, contracts, hash)
    if (withdrawals !== null) {
      for (const { state, text } of withdrawals) narrator.say(state, `withdrawal: ${text}`)
      const shown = withdrawals.map(({ withdrawal: _, ...rest }) => rest)
      narrator.end({ kind: 'withdrawal', l2TxHash: hash, withdrawals: shown })
      return withdrawals.some(({ state }) => state === 'failed') ? EXIT_FAILED : 0
    }
    throw new BridgeError(
      'apps/bridge-unknown',
      `neither ${l1.rpc.host} (L1) has a deposit in ${hash}, nor ${l2.rpc.host} (L2) a withdrawal; is it of another network, or dropped from a pool?`,
    )
  },
})
