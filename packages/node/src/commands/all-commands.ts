/** Loaded on demand, so that a role loads only its own code. */
import type { AnyCommand } from '../command.ts'

export const COMMANDS: Readonly<Record<string, () => Promise<AnyCommand>>> = {
  devnet: async () => (await import('./devnet/devnet.ts')).devnetGroup,
  execution: async () => (await import('./execution/execution.ts')).executionCommand,
  consensus: async () => (await import('./consensus/consensus.ts')).consensusCommand,
  conductor: async () => (await import('./conductor.ts')).conductorCommand,
  batcher: async () => (await import('./submitters/batcher.ts')).batcherCommand,
  proposer: async () => (await import('./submitters/proposer.ts')).proposerCommand,
  validator: async () => (await import('./validator/validator.ts')).validatorCommand,
  l1: async () => (await import('./l1.ts')).l1Command,
  beacon: async () => (await import('./beacon.ts')).beaconCommand,
  bridge: async () => (await import('./bridge/bridge.ts')).bridgeCommand,
  faucet: async () => (await import('./faucet/faucet.ts')).faucetCommand,
  platform: async () => (await import('./platform/platform.ts')).platformCommand,
  index: async () => (await import('./index-chain/index-chain.ts')).indexCommand,
  web: async () => (await import('./web/web.ts')).webCommand,
  network: async () => (await import('./network/network.ts')).networkCommand,
  db: async () => (await import('./db/db.ts')).dbCommand,
  config: async () => (await import('./config.ts')).configCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  status: async () => (await import('./status.ts')).statusCommand,
  verify: async () => (await import('./verify/verify.ts')).verifyCommand,
  debug: async () => (await import('./debug/debug.ts')).debugCommand,
  healthcheck: async () => (await import('./healthcheck.ts')).healthcheckCommand,
  jwt: async () => (await import('./jwt.ts')).jwtCommand,
  'rpc-key': async () => (await import('./rpc-key.ts')).rpcKeyCommand,
}
