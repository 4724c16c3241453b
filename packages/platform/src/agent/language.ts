/** Whether a text is in a language that the assistant does not read: it answers in no way that might be about something else. */
import { wordsOf } from './lexicon.ts'

/** Frequent words of other languages that are none of English. */
const OTHER_LANGUAGES = wordsOf(
  'der das und ist ich nicht wie viel wieviel kostet gegen für möchte tausche tauschen kaufe kaufen verkaufe verkaufen preis welche gibt bitte',
  'el los las una cuál cual cuánto cuanto cuesta cuántos precio por para quiero cambiar cambia vender comprar hola gracias qué que del',
  'le les du des est quel quelle combien je veux échanger échange échangez vendre acheter prix pour contre bonjour merci mon une',
  'il gli quanto quale qual prezzo vorrei scambiare scambia vendere comprare ciao grazie sono',
  'preço quero trocar troque olá obrigado uma está são',
  'het een hoeveel prijs wissel verkoop koop ik',
)
const MANY = 2

/** `isUnderstood`: its English words say what it wants, so that a foreign name or word in it changes nothing. */
export function isForeign(text: string, isUnderstood: boolean): boolean {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const otherScript = words.filter((word) => !/^\p{Script=Latin}+$/u.test(word)).length
  const otherWords = words.filter((word) => OTHER_LANGUAGES.has(word)).length
  return isUnderstood ? otherWords >= MANY || otherScript * 2 > words.length : otherWords + otherScript > 0
}
