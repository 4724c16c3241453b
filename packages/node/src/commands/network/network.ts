import type { CommandGroup } from '../../command.ts'

export const networkCommand: CommandGroup = {
  name: 'network',
  summary: 'list, show and update the public networks, or make one of your own: genesis, rollup configuration, contracts on L1',
  commands: {
    list: async () => (await import('./list.ts')).networkListCommand,
    show: async () => (await import('./show.ts')).networkShowCommand,
    update: async () => (await import('./update.ts')).networkUpdateCommand,
    create: async () => (await import('./create.ts')).networkCreateCommand,
  },
}
