import type { ForkDefinition } from '../rules.ts'
import { azul } from './azul.ts'
import { bedrock } from './bedrock.ts'
import { canyon } from './canyon.ts'
import { delta } from './delta.ts'
import { ecotone } from './ecotone.ts'
import { fjord } from './fjord.ts'
import { granite } from './granite.ts'
import { holocene } from './holocene.ts'
import { isthmus } from './isthmus.ts'
import { jovian } from './jovian.ts'
import { karst } from './karst.ts'
import { lagoon } from './lagoon.ts'
import { regolith } from './regolith.ts'

/** Defines every parameter; later forks define only their changes. */
export const BASE_FORK = bedrock

export const LATER_FORKS: readonly ForkDefinition[] = [
  ...[regolith, canyon, delta, ecotone, fjord, granite, holocene, isthmus, jovian],
  ...[karst, lagoon, azul],
]
