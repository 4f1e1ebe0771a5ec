// The analyzers of single languages: tokens that Lucene 9.8 gives for the same texts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { analyzerOf } from './parse-analyzer.js';

const tokens = (definition: unknown, text: string) =>
  analyzerOf(JSON.stringify(definition)).analyze(text).join('|');

describe('analyzers of languages', () => {
  const cases: readonly (readonly [name: string, text: string, tokens: string])[] = [
    ['armenian', 'Երևանի փողոցներում և մարդկանց համար', 'երև|փող|մարդկ'],
    [
      'basque',
      'Etxeko gizonak eta herrietako langileak berehala etorri ziren',
      'etxeko|gizon|herri|lan|bereha|etorri',
    ],
    [
      'catalan',
      "L'alcalde i les ciutats industrialitzades de l'Empordà, s'adaptaven ràpidament",
      'alcald|ciut|industrial|empord|adapt|rapid',
    ],
    [
      'cjk',
      '我是中国人，the Ｔｅｓｔ ｶﾞｷﾞ テスト 東 한국어 カタab 時々',
      '我是|是中|中国|国人|test|ガギ|テス|スト|東|한국|국어|カタ|ab|時|々',
    ],
    ['danish', 'Hundene løber ikke over gaderne og husene', 'hund|løb|gad|hus'],
    ['dutch', 'De kinderen fietsen niet, het kind en de ei in de huizen', 'kinder|fiets|kinder|eier|huiz'],
    ['finnish', 'Talojen katoilla ja pihoilla ei ole autoja', 'talo|kato|piho|auto'],
    [
      'french',
      "L'élève et les chevaux majestueusement industriels, des actrices nationales, la qualification, " +
        'la sixième folle, une complète organisation',
      'elev|cheval|majestueus|industriel|acteu|national|qualific|six|fou|complet|organ',
    ],
    [
      'german',
      'Die Häuser der Straße, schoenste Mädchen, kleinere Kindern, blaue Quellen, du gibst',
      'haus|strass|schon|madch|klein|kind|blau|quell|gib',
    ],
    ['hungarian', 'A házakban és az utcákon nincsenek emberek', 'ház|utca|nincs|ember'],
    ['irish', "Tá an nAthair agus b'fhearr leis na t-úlla glasa", 'tá|athair|fearr|úlla|glasa'],
    [
      'italian',
      "Nell'università gli amiche degli operai e le città bianchi",
      'universit|amic|opera|città|bianc',
    ],
    ['lithuanian', 'Namuose ir gatvėse yra žmonių', 'nam|gatv|žmon'],
    ['norwegian', 'Havnedistriktene ligger ikke ved husene', 'havnedistrikt|ligg|hus'],
    [
      'portuguese',
      'As nações portuguesas rapidamente, homens, canais fáceis, anéis, a campeona e as professoras bonitas',
      'naca|portugues|rapid|homem|canal|facel|anel|campea|professor|bonit',
    ],
    ['romanian', 'Oamenii din orașele mari nu sunt aici', 'oamen|oraș|mar'],
    [
      'russian',
      'Вместе с тем о силе электромагнитной энергии имели представление еще',
      'вмест|сил|электромагнитн|энерг|имел|представлен',
    ],
    [
      'spanish',
      'Las luces de los intereses franceses y las canciones más bonitas',
      'luz|interes|frances|cancion|bonit',
    ],
    ['swedish', 'Flickorna och pojkarna springer inte till husen', 'flick|pojk|spring|hus'],
    [
      'turkish',
      "Türkiye'nin İstanbul şehrindeki IĞDIR evleri ve kitapları",
      'türki|istanbul|şehr|ık|ev|kitap',
    ],
  ];
  for (const [name, text, expected] of cases) it(`${name}`, () => assert.equal(tokens(name, text), expected));

  it('are named in any case', () =>
    assert.equal(tokens('SWEDISH', 'flickorna'), tokens('swedish', 'flickorna')));
});

describe('the filter snowballporter', () => {
  const stemmed = (language: string, text: string) =>
    tokens(
      {
        tokenizer: { name: 'whitespace', args: { maxTokenLen: '2000' } },
        filters: [{ name: 'snowballPorter', args: { language } }],
      },
      text,
    );

  it('stems by the rules of a language', () => {
    assert.equal(stemmed('German', 'häusern aufeinander freundlichkeit'), 'haus|aufeinand|freundlich');
    assert.equal(stemmed('French', 'continuellement majestueusement chevaux'), 'continuel|majestu|cheval');
    assert.equal(stemmed('Spanish', 'cheques chicas torneados'), 'chequ|chic|torn');
    assert.equal(stemmed('Italian', 'abbandonata pronunceremo'), 'abbandon|pronunc');
    assert.equal(stemmed('Portuguese', 'boataria quilométricas'), 'boat|quilométr');
    assert.equal(stemmed('Greek', 'καλησπερα αυτοκινητα'), 'καλησπερ|αυτοκινητ');
    assert.equal(stemmed('Dutch', 'lichaamsziek opgingen'), 'lichaamsziek|opging');
    assert.equal(stemmed('Porter', 'generalizations relational'), 'gener|relat');
  });

  it('leaves words that are longer than the words of any language', () => {
    const long = 'о'.repeat(1_001);
    assert.equal(stemmed('Russian', long), long);
  });
});

describe('filters of single languages', () => {
  const filtered = (name: string, text: string) =>
    tokens({ tokenizer: { name: 'whitespace' }, filters: [{ name }] }, text);

  it('change words as those of Lucene do', () => {
    assert.equal(filtered('elision', "l'avion Qu\u2019il jusqu'à aujourd'hui"), "avion|il|à|aujourd'hui");
    assert.equal(filtered('apostrophe', "Türkiye'nin Ankara\u2019da ev"), 'Türkiye|Ankara|ev');
    assert.equal(
      filtered('irishLowerCase', 'nAthair tÓir Nathair n-athair'),
      'n-athair|t-óir|nathair|n-athair',
    );
    assert.equal(filtered('turkishLowerCase', 'IĞDIR İstanbul I\u0307'), 'ığdır|istanbul|i');
  });
});
