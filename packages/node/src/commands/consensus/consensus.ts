import { join } from 'node:path'
import { printSchedule } from '@keelson/chainspec'
import { createContractReader, createEngineClient, createL2BlockSource } from '@keelson/client'
import { createConsensusNode, createDegradedStates, DEFAULT_CONSENSUS_OPTIONS } from '@keelson/consensus'
import { readL1ChainConfig, readPublicNetwork } from '@keelson/devnet/network-files'
import {
  claimDataDirectory,
  createHealthServer,
  createJwt,
  createReadiness,
  createRpcServer,
  createSystemClock,
  loadJwtSecret,
  openLevelStore,
} from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { createViolationWriter } from '../../consensus/violation-writer.ts'
import { decompress } from '../../crypto/compression.ts'
import { createKzg } from '../../crypto/kzg.ts'
import { openL1 } from '../../l1/l1-connection.ts'
import { createUnsafeBlockSigner } from '../../l1/unsafe-block-signer.ts'
import { createDiskCheck } from '../../role/disk-check.ts'
import { registerForkCountdown } from '../../role/fork-countdown.ts'
import { closing, healthAddress, openRole } from '../../role/role.ts'
import { openRollupConfig } from '../../role/rollup-option.ts'
import { openFrontDoor } from '../../role/rpc-access-options.ts'
import { openTracing } from '../../tracing/open-tracing.ts'
import { RELEASED_ON, VERSION } from '../../version.ts'
import { assertOptionsFit } from './assert-options-fit.ts'
import { engineVersionsFor } from './engine-versions.ts'
import { openBlobs } from './open-blobs.ts'
import { openGossip } from './open-gossip.ts'
import { consensusOptions } from './options.ts'
import { rollupRpcMethods, rollupRpcServer } from './rollup-rpc-options.ts'
import { missingSignerWarning, openSequencing } from './sequencer-options.ts'
import { createCannotSync } from './sync-options.ts'

const DATA_LAYOUT_VERSION = 1

/** An empty record signs no height at which an earlier one may have signed. */
const SIGNED_BLOCKS_REMEDY =
  'it holds which blocks were signed; keep a copy, then remove it; the chain is derived again from L1, and blocks are signed from the present time on'

export const consensusCommand = defineCommand({
  name: 'consensus',
  summary: 'the consensus client: derivation from L1, sequencer, gossip, rollup RPC',
  usage: '--data-dir FOLDER --network NETWORK --l1.rpc URL --l1.beacon URL --jwt-secret FILE [options]',
  options: consensusOptions,
  async run(values) {
    await assertOptionsFit(values)
    const role = openRole('consensus', values)
    const { access, services: accessServices } = await openFrontDoor(values, role)
    const { clock, random, log, metrics, crypto } = role
    const config = openRollupConfig(values, log, clock)
    registerForkCountdown(metrics, config, clock)
    const l1Chain = readL1ChainConfig(values.network)
    for (const line of printSchedule(config, clock.nowMs() / 1000).split('\n')) log.info(`fork ${line}`)
    await claimDataDirectory(values.dataDir, {
      version: DATA_LAYOUT_VERSION,
      role: 'consensus',
      chainId: config.l2ChainId,
      genesisHash: config.genesis.l2.hash,
    })
    const { secret, warning } = await loadJwtSecret(values.jwtSecret, { create: true })
    for (const line of [warning, missingSignerWarning(values)]) if (line !== null) log.warn(line)

    const degraded = createDegradedStates(clock, log)
    const l1 = await openL1(values, role, config, l1Chain, ({ what, why, remedy }) => degraded.enter('l1-fork', what, why, remedy))
    await l1.sayEstimate({ pollIntervalMs: values.l1PollIntervalMs, sequencer: values.role === 'sequencer' })
    const kzg = createKzg()
    const blobs = await openBlobs(values, kzg, role)
    // JWTs use the machine's real clock.
    const systemClock = createSystemClock()
    const engine = createEngineClient(
      { url: values.engineUrl, jwtSecret: secret, versionFor: engineVersionsFor(config) },
      { clock: systemClock, random, log, metrics },
    )
    const engineRpc = role.rpc(values.engineUrl, {
      headers: async () => ({ authorization: `Bearer ${await createJwt(secret, systemClock)}` }),
    })
    const signed = values.role === 'sequencer' ? { irreplaceable: { remedy: SIGNED_BLOCKS_REMEDY } } : {}
    const store = await openLevelStore({ directory: join(values.dataDir, 'store'), ...signed })
    const sequencing = await openSequencing(values, role, config.l2ChainId)
    const signer = createUnsafeBlockSigner(config.systemConfigContract, l1.rpc, clock, log, {
      ours: sequencing.signer?.address ?? null,
      published: readPublicNetwork(values.network)?.unsafeBlockSigner ?? null,
    })
    const gossip = values.p2pEnabled ? await openGossip(values, { config, signer, sequencing, store, degraded }, role) : null
    const tracing = await openTracing('consensus', values, role)
    const node = createConsensusNode(
      {
        ...DEFAULT_CONSENSUS_OPTIONS,
        role: values.role,
        verifierL1Confirmations: values.verifierConfirmations,
        l1PollIntervalMs: values.l1PollIntervalMs,
        sequencer: sequencing.options,
        allowFinalizedReorg: values.allowFinalizedReorg,
        syncMode: values.syncMode,
        minPeers: values.p2pMinPeers,
        release: { version: VERSION, releasedOn: RELEASED_ON },
        distrustedBlock: values.distrustBlock,
      },
      {
        config,
        l1Chain,
        l1: l1.client,
        l1News: l1.news,
        blobs,
        onDerivationStart: (from) => void blobs.sayRange(from),
        violations: createViolationWriter(join(values.dataDir, 'violations')),
        cannotSync: createCannotSync(engineRpc),
        engine,
        l2: createL2BlockSource(engineRpc),
        gossip,
        staking: { contract: values.stakingContract, reader: createContractReader(engineRpc) },
        conductor: sequencing.conductor,
        store,
        decompressor: { decompress },
        crypto,
        clock,
        log,
        metrics,
        degraded,
        ...(tracing === null ? {} : { spans: tracing }),
        setLogLevel: role.setLogLevel,
      },
    )
    const readiness = createReadiness([...node.checks, createDiskCheck(values.dataDir, metrics)], { clock, log, metrics })
    const rpc = createRpcServer(rollupRpcServer(values), {
      methods: rollupRpcMethods(values, node.methods, node.adminMethods),
      log,
      clock,
      metrics,
      access,
    })
    return role.run([
      createHealthServer(healthAddress(values), { metrics, readiness, clock, log }),
      closing('store', () => store.close()),
      ...(tracing === null ? [] : [tracing.service]),
      closing('kzg', kzg.close),
      signer,
      node,
      ...accessServices,
      rpc,
    ])
  },
})
