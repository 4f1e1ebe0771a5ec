// The quick start of @datastax/astra-mongoose: models on collections. Argument: the server's URL.
import assert from 'node:assert/strict';
import { driver } from '@datastax/astra-mongoose';
import mongoose from 'mongoose';

mongoose.setDriver(driver);
mongoose.set('autoCreate', false);
mongoose.set('autoIndex', false);
await mongoose.connect(`${process.argv[2]}/v1/default_keyspace`, {
  isAstra: false,
  username: 'cassandra',
  password: 'cassandra',
});

const Product = mongoose.model(
  'Product',
  new mongoose.Schema({ name: String, price: Number, tags: [String], made: Date, maker: { city: String } }),
);
await Product.createCollection();
const made = new Date('2024-02-29T12:00:00Z');
const saved = await new Product({
  name: 'chair',
  price: 30,
  tags: ['wood'],
  made,
  maker: { city: 'Bern' },
}).save();
await Product.insertMany([
  { name: 'table', price: 90, tags: ['wood', 'large'], maker: { city: 'Oslo' } },
  { name: 'lamp', price: 20, tags: [], maker: { city: 'Bern' } },
]);
const found = await Product.findById(saved._id);
assert.equal(found.made.getTime(), made.getTime());
assert.equal(await Product.countDocuments({ 'maker.city': 'Bern' }), 2);
const cheap = await Product.find({ price: { $lt: 50 } }).sort({ price: 1 });
assert.deepEqual(
  cheap.map(({ name }) => name),
  ['lamp', 'chair'],
);
assert.equal((await Product.findOne({ tags: { $all: ['wood', 'large'] } })).name, 'table');
const { modifiedCount } = await Product.updateMany(
  { tags: 'wood' },
  { $inc: { price: 1 }, $push: { tags: 'sold' } },
);
assert.equal(modifiedCount, 2);
const changed = await Product.findOneAndUpdate(
  { name: 'desk' },
  { $set: { price: 5 } },
  { upsert: true, returnDocument: 'after' },
);
assert.equal(changed.price, 5);
found.price = 31.5;
await found.save();
assert.equal((await Product.findById(found._id)).price, 31.5);
assert.equal((await Product.findOneAndDelete({ name: 'lamp' })).name, 'lamp');
assert.equal((await Product.deleteMany({ price: { $gt: 0 } })).deletedCount, 3);
assert.equal(await Product.estimatedDocumentCount(), 0);
await Product.db.dropCollection('products');

const vectorSchema = new mongoose.Schema(
  { $vector: { type: [Number], default: () => undefined, select: true }, name: String },
  { collectionOptions: { vector: { dimension: 2, metric: 'cosine' } } },
);
const Place = mongoose.model('Place', vectorSchema);
await Place.createCollection();
await Place.create([
  { name: 'east', $vector: [1, 0] },
  { name: 'north', $vector: [0, 1] },
]);
const near = await Place.find({}).sort({ $vector: { $meta: [1, 99] } });
assert.deepEqual(
  near.map(({ name }) => name),
  ['north', 'east'],
);
assert.deepEqual([...near[0].get('$vector')], [0, 1]);
await Place.db.dropCollection('places');

const textSchema = new mongoose.Schema(
  { $vector: { type: [Number], default: () => undefined }, $vectorize: String, name: String },
  {
    collectionOptions: {
      vector: { metric: 'cosine', service: { provider: 'colonnade', modelName: 'hashed-ngrams' } },
    },
  },
);
const Note = mongoose.model('Note', textSchema);
await Note.createCollection();
await Note.create([
  { name: 'tree', $vectorize: 'a tree in the garden' },
  { name: 'boat', $vectorize: 'a boat on the river' },
]);
const [note] = await Note.find({})
  .sort({ $vectorize: { $meta: 'boats on rivers' } })
  .limit(1);
assert.equal(note.name, 'boat');
await Note.db.dropCollection('notes');
await mongoose.disconnect();
process.stdout.write('models\n');
