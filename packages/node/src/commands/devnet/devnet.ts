import type { CommandGroup } from '../../command.ts'

export const devnetGroup: CommandGroup = {
  name: 'devnet',
  summary: 'a whole rollup on this machine: L1, sequencer, validator, batcher, proposer',
  otherwise: async () => (await import('./start.ts')).devnetCommand,
  commands: {
    stop: async () => (await import('./stop.ts')).stopCommand,
    status: async () => (await import('./status.ts')).statusCommand,
    logs: async () => (await import('./logs.ts')).logsCommand,
    fund: async () => (await import('./fund.ts')).fundCommand,
    time: async () => (await import('./time.ts')).timeCommand,
    snapshot: async () => (await import('./snapshot.ts')).snapshotCommand,
    restore: async () => (await import('./snapshot.ts')).restoreCommand,
    prepare: async () => (await import('./prepare.ts')).prepareCommand,
  },
}
