import type { CommandGroup } from '../../command.ts'

export const bridgeCommand: CommandGroup = {
  name: 'bridge',
  summary: 'deposits and withdrawals: their status as a service, and the commands that make them',
  commands: {
    deposit: async () => (await import('./deposit.ts')).depositCommand,
    withdraw: async () => (await import('./withdraw.ts')).withdrawCommand,
    prove: async () => (await import('./prove.ts')).proveCommand,
    finalize: async () => (await import('./finalize.ts')).finalizeCommand,
    force: async () => (await import('./force.ts')).forceCommand,
    status: async () => (await import('./status.ts')).statusCommand,
    serve: async () => (await import('./serve.ts')).bridgeServeCommand,
  },
}
