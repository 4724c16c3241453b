/** `keelson network ...`: commands that make the files of a network. */
import type { CommandGroup } from '../../command.ts'

export const networkCommand: CommandGroup = {
  name: 'network',
  summary: 'make a network: genesis, rollup configuration and contracts on L1',
  commands: {
    create: async () => (await import('./create.ts')).networkCreateCommand,
  },
}
