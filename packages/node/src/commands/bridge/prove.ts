import { BridgeError, planProof } from '@keelson/apps/bridge'
import { defineCommand } from '../../command.ts'
import { assertOneHash, runStep, stepOptions } from './lead-withdrawal.ts'

export const proveCommand = defineCommand({
  name: 'bridge prove',
  summary: 'proves a withdrawal on L1: the second of three steps',
  usage: 'HASH [--wait] [options]',
  explanation: `HASH is the L2 transaction that began the withdrawal. It can be proven when the proposer has put an output root on L1
for a block at or after it. The output is compared with this L2 node's own chain before anything is sent.`,
  options: stepOptions,
  takesArguments: true,
  checkArguments: (positional) => void assertOneHash('prove', positional),
  run: (values, { positional }) =>
    runStep(
      {
        command: 'prove',
        due: 'ready-to-prove',
        done: ['waiting-to-finalize', 'ready-to-finalize', 'finalized'],
        async plan({ l2, contracts }, { withdrawal, output, text }) {
          if (withdrawal === null || output === null) throw new BridgeError('apps/bridge-unknown', `there is nothing to prove: ${text}`)
          return planProof(l2, contracts, withdrawal, output)
        },
        findTrouble: () => null,
      },
      values,
      positional,
    ),
})
