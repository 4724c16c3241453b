import type { CommandGroup } from '../../command.ts'
import { validatorKeysCommand } from './keys/keys.ts'
import { validatorProtectionCommand } from './protection/protection.ts'

export const validatorCommand: CommandGroup = {
  name: 'validator',
  summary: 'duties, stake and keys of a validator',
  commands: {
    run: async () => (await import('./run/run.ts')).validatorRunCommand,
    register: async () => (await import('./stake/register.ts')).registerCommand,
    stake: async () => (await import('./stake/stake-commands.ts')).stakeCommand,
    unstake: async () => (await import('./stake/stake-commands.ts')).unstakeCommand,
    withdraw: async () => (await import('./stake/stake-commands.ts')).withdrawCommand,
    claim: async () => (await import('./stake/stake-commands.ts')).claimCommand,
    'set-payout': async () => (await import('./stake/stake-commands.ts')).setPayoutCommand,
    exit: async () => (await import('./stake/stake-commands.ts')).exitCommand,
    'fund-pool': async () => (await import('./stake/fund-pool.ts')).fundPoolCommand,
    rejoin: async () => (await import('./stake/stake-commands.ts')).rejoinCommand,
    status: async () => (await import('./stake/status.ts')).validatorStatusCommand,
    deploy: async () => (await import('./deploy/deploy.ts')).deployCommand,
    watch: async () => (await import('./watch/watch.ts')).validatorWatchCommand,
    keys: async () => validatorKeysCommand,
    protection: async () => validatorProtectionCommand,
  },
}
