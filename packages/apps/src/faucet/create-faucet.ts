import type { TransactionManager } from '@keelson/client'
import type { Random } from '@keelson/primitives'
import type { HealthCheck, Service } from '@keelson/runtime'
import type { ClaimRecords } from './claims/claim-records.ts'
import type { ClaimService } from './claims/claim-service.ts'
import { createFaucetBackend, type FaucetBackend, type FaucetBackendDependencies, type FaucetBackendOptions } from './faucet-backend.ts'
import { createEntrance, type Entrance, type EntranceOptions } from './http/entrance.ts'
import { createFaucetServer, type FaucetServer, type FaucetServerOptions } from './http/faucet-server.ts'
import { createChallenges } from './tiers/challenge.ts'
import type { AccountProvider } from './tiers/linked-accounts.ts'
import { TierService } from './tiers/tier-service.ts'

export interface FaucetOptions extends Omit<FaucetServerOptions, 'account' | 'localAccounts'>, EntranceOptions, FaucetBackendOptions {
  readonly publicUrl: string
  readonly addressesPerAccount: number
}

export interface FaucetDependencies extends FaucetBackendDependencies {
  /** Default: a port of its own. */
  readonly entrance?: Entrance
  readonly accounts: AccountProvider | null
  readonly random: Random
}

export interface Faucet extends Service {
  readonly server: FaucetServer
  readonly manager: TransactionManager
  readonly claims: ClaimService
  readonly records: ClaimRecords
  readonly checks: readonly HealthCheck[]
  step(): Promise<void>
  task(task: string, params: Readonly<Record<string, unknown>>): Promise<unknown>
}

/** Throws FaucetError `apps/faucet-record`. */
export async function createFaucet(options: FaucetOptions, deps: FaucetDependencies): Promise<Faucet> {
  const { signer, captcha, accounts, crypto, clock, random, log } = deps
  const { chainId } = options
  const metrics = deps.metrics === undefined ? {} : { metrics: deps.metrics }
  const backend = await createFaucetBackend(options, deps)
  const { claims, records, tiers, ledger, treasury } = backend
  const challenges = createChallenges({ publicUrl: options.publicUrl, chainId }, { crypto, random, clock })
  const tierService = new TierService(
    { publicUrl: options.publicUrl, addressesPerAccount: options.addressesPerAccount },
    { challenges, records: tiers, provider: accounts, captcha, clock, random, log },
  )
  const server = createFaucetServer(
    { ...options, account: signer.address, localAccounts: accounts?.name === 'local' },
    {
      entrance: deps.entrance ?? createEntrance(options, { clock, log }),
      claims,
      tierService,
      tiers,
      records,
      ledger,
      trouble: treasury.trouble,
      clock,
      log,
      ...metrics,
    },
  )
  return new FaucetService(server, backend, accounts)
}

class FaucetService implements Faucet {
  readonly name = 'faucet'
  readonly failure: Promise<never>
  readonly server: FaucetServer
  readonly #backend: FaucetBackend
  readonly #accounts: AccountProvider | null

  constructor(server: FaucetServer, backend: FaucetBackend, accounts: AccountProvider | null) {
    this.server = server
    this.#backend = backend
    this.#accounts = accounts
    this.failure = backend.failure
  }

  get manager(): TransactionManager {
    return this.#backend.manager
  }

  get claims(): ClaimService {
    return this.#backend.claims
  }

  get records(): ClaimRecords {
    return this.#backend.records
  }

  get checks(): readonly HealthCheck[] {
    return this.#backend.checks
  }

  step(): Promise<void> {
    return this.#backend.step()
  }

  task(task: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    return this.#backend.task(task, params)
  }

  async start(signal: AbortSignal): Promise<void> {
    await this.server.start(signal)
    await this.#backend.start(signal)
  }

  async stop(): Promise<void> {
    await this.server.stop()
    await this.#backend.stop()
    this.#accounts?.close()
  }
}
