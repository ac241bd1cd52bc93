"""English templates: what is particular about optimizers of TensorFlow, Keras and JAX."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "optimizer.keras.Adafactor": "Row and column averages beside the full second moment.",
    "optimizer.keras.Adafactor.belief": (
        "It saves nothing here: the full-size velocity is kept for factored variables too, so it costs as much as RMSprop and the factors on top."
    ),
    "optimizer.keras.Muon": "One momentum for matrices, two moments for everything else.",
    "optimizer.keras.Muon.belief": "Embeddings and convolutions are AdamW's: two moments there, whatever their size.",
    "optimizer.tf_keras.SGD": "One momentum buffer, always.",
    "optimizer.tf_keras.SGD.belief": "Not stateless: the momentum slot is allocated even where momentum is 0 (Keras 3 and the legacy class have none then).",
    "optimizer.tf_keras.Adafactor": "Row and column averages beside the full second moment.",
    "optimizer.tf_keras.Adafactor.belief": "It saves nothing here: the full second moment is kept for factored variables too.",
    "optimizer.tensorflow.MomentumOptimizer": "One momentum buffer, always.",
    "optimizer.tensorflow.MomentumOptimizer.belief": "The buffer is kept at momentum 0 as well.",
    "optimizer.tensorflow.RMSPropOptimizer": "Two slots, a third one if centered.",
    "optimizer.tensorflow.RMSPropOptimizer.belief": "The momentum slot is allocated even where momentum is 0: 8 bytes a parameter in fp32.",
    "optimizer.optax.sgd": "Nothing without momentum, one buffer with it.",
    "optimizer.optax.sgd.belief": "momentum=0.0 keeps the buffer; only None drops it.",
    "optimizer.optax.adam": "Two moments in the type of the parameter.",
    "optimizer.optax.adam.belief": "mu_dtype changes the first moment alone. With bf16 parameters both moments are bf16, and there is no fp32 copy of the weights.",
    "optimizer.optax.adafactor": "Averages over the two largest axes where the second largest is long enough.",
    "optimizer.optax.adafactor.belief": (
        "Not every matrix is factored: with the default of 128 an embedding of width 96 or a 3 x 3 convolution keeps its full second moment. Its momentum is fp32 whatever the parameter."
    ),
    "optimizer.optax.rmsprop": "One average of squares; centered and momentum add one each.",
    "optimizer.optax.rmsprop.belief": "momentum=0.0 keeps the buffer; only None drops it.",
    "optimizer.optax.lars": "One momentum buffer, always.",
    "optimizer.optax.lars.belief": "momentum=0.0 keeps the buffer, and None is not accepted.",
    "optimizer.optax.sm3": "One number for each index along each axis, and a momentum buffer.",
    "optimizer.optax.sm3.belief": "Not sublinear as it stands: the momentum buffer is kept even at 0, and a vector costs twice its size.",
    "optimizer.optax.lbfgs": "Two histories and three vectors, all as large as the parameters.",
    "optimizer.optax.lbfgs.belief": "23 copies of the parameters with the default history of 10, from the start; torch's grows with the steps.",
    "optimizer.optax.contrib.galore": "Moments in a low-rank space of each matrix, and the projectors.",
    "optimizer.optax.contrib.madgrad": "A sum of squares, a sum of gradients and the initial weights.",
    "optimizer.optax.contrib.madgrad.belief": "Three copies also at momentum 0, in the type of the parameter.",
    "optimizer.optax.contrib.muon": "One momentum for every matrix, two moments for the rest.",
    "optimizer.optax.contrib.muon.belief": "Every matrix goes to Muon, embeddings included; convolutions go to Adam.",
}
