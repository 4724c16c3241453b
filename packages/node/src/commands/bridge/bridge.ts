/** `keelson bridge ...`: value between L1 and L2. One line a subcommand, each in a file beside this one. */
import type { CommandGroup } from '../../command.ts'

export const bridgeCommand: CommandGroup = {
  name: 'bridge',
  summary: 'deposits and withdrawals: their status as a service, and the commands that make them',
  commands: {
    serve: async () => (await import('./serve.ts')).bridgeServeCommand,
  },
}
