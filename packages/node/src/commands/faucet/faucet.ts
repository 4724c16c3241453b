import type { CommandGroup } from '../../command.ts'

export const faucetCommand: CommandGroup = {
  name: 'faucet',
  summary: 'test tokens over HTTP: the service, and who may have more of them',
  commands: {
    serve: async () => (await import('./serve.ts')).faucetServeCommand,
    grant: async () => (await import('./operate.ts')).faucetGrantCommand,
    revoke: async () => (await import('./operate.ts')).faucetRevokeCommand,
    applications: async () => (await import('./operate.ts')).faucetApplicationsCommand,
    status: async () => (await import('./operate.ts')).faucetStatusCommand,
  },
}
