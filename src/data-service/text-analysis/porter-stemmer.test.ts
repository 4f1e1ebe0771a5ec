// Porter's stemmer: the examples of his paper, and words of its vocabulary.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { porterStem } from './porter-stemmer.js';

const stems =
  'caresses caress ponies poni ties ti caress caress cats cat feed feed agreed agre plastered plaster bled bled ' +
  'motoring motor sing sing conflated conflat troubled troubl sized size hopping hop tanned tan falling fall ' +
  'hissing hiss fizzed fizz failing fail filing file happy happi sky sky relational relat conditional condit ' +
  'rational ration valenci valenc hesitanci hesit digitizer digit conformabli conform radicalli radic ' +
  'differentli differ vileli vile analogousli analog vietnamization vietnam predication predic operator oper ' +
  'feudalism feudal decisiveness decis hopefulness hope callousness callous formaliti formal sensitiviti sensit ' +
  'sensibiliti sensibl triplicate triplic formative form formalize formal electriciti electr electrical electr ' +
  'hopeful hope goodness good revival reviv allowance allow inference infer airliner airlin gyroscopic gyroscop ' +
  'adjustable adjust defensible defens irritant irrit replacement replac adjustment adjust dependent depend ' +
  'adoption adopt homologou homolog communism commun activate activ angulariti angular homologous homolog ' +
  'effective effect bowdlerize bowdler probate probat rate rate cease ceas controll control roll roll ' +
  'is is as as generalizations gener oscillators oscil trees tree lazy lazi lonely lone fish fish woods wood ' +
  'plain plain yes ye by by toy toi saying sai archaeology archaeolog possibly possibl sensational sensat';

describe("Porter's stemmer", () => {
  const words = stems.split(' ');
  for (let at = 0; at < words.length; at += 2) {
    const [word = '', stem] = words.slice(at, at + 2);
    it(`gives the stem of ${word}`, () => assert.equal(porterStem(word), stem));
  }
});
