import type { CommandGroup } from '../../command.ts'

export const conductorGroup: CommandGroup = {
  name: 'conductor',
  summary: 'one of several sequencers leads: hand-over between them, at most one block at a height',
  otherwise: async () => (await import('./run.ts')).conductorCommand,
  commands: {
    'forget-etcd': async () => (await import('./forget-etcd.ts')).forgetEtcdCommand,
  },
}
