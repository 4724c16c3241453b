import { BridgeError, planFinalization } from '@keelson/apps/bridge'
import { FAILED_RELAYED_MESSAGE_TOPIC, findWithdrawalFinalized } from '@keelson/contracts'
import { defineCommand } from '../../command.ts'
import { assertOneHash, runStep, stepOptions } from './lead-withdrawal.ts'

export const finalizeCommand = defineCommand({
  name: 'bridge finalize',
  summary: 'pays out a withdrawal on L1: the last of three steps',
  usage: 'HASH [--wait] [options]',
  explanation: `HASH is the L2 transaction that began the withdrawal. It can be finalized when the time to challenge the output it
was proven against is over, by the time of L1. If the output is taken back before, it has to be proven again.`,
  options: stepOptions,
  takesArguments: true,
  checkArguments: (positional) => void assertOneHash('finalize', positional),
  run: (values, { positional }) =>
    runStep(
      {
        command: 'finalize',
        due: 'ready-to-finalize',
        done: ['finalized'],
        async plan({ contracts }, { withdrawal, text }) {
          if (withdrawal === null) throw new BridgeError('apps/bridge-unknown', `there is nothing to finalize: ${text}`)
          return planFinalization(contracts, withdrawal)
        },
        findTrouble({ logs }, { contracts }) {
          const outcome = logs
            .map(({ log }) => (log.address === contracts.portal ? findWithdrawalFinalized(log) : null))
            .find((found) => found !== null)
          if (outcome?.succeeded === false) return 'finalized, but the call to its target on L1 failed, and the portal makes it only once'
          const failed = logs.some(({ log }) => log.address === contracts.messenger && log.topics[0] === FAILED_RELAYED_MESSAGE_TOPIC)
          return failed
            ? `finalized, but its message failed on L1: anyone may call relayMessage of ${contracts.messenger} with it again`
            : null
        },
      },
      values,
      positional,
    ),
})
